alter table worker add column later text not null default 'nothing';
