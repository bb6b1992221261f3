{{/* What every pod of this chart may call: names and PostgreSQL. */}}
{{- define "seriatim.databaseEgress" -}}
# Names.
- to:
    {{- toYaml .dns.to | nindent 4 }}
  ports:
    - protocol: UDP
      port: 53
    - protocol: TCP
      port: 53
# PostgreSQL.
- ports:
    - protocol: TCP
      port: {{ .postgresql.port }}
  {{- with .postgresql.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "seriatim.internetPorts" -}}
{{- range . }}
- protocol: TCP
  port: {{ . }}
{{- else }}
- protocol: TCP
{{- end }}
{{- end -}}
