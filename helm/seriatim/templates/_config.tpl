{{/*
application.yml: what the chart knows, and config. The two never say different things about one setting, because
config is refused where it names what the chart sets (see _checks.tpl).
*/}}
{{- define "seriatim.config" -}}
{{- $operators := dict -}}
{{- range $index, $operator := .Values.api.operators -}}
{{- $_ := set $operators (printf "[%s]" $operator.name) (printf "${OPERATOR_TOKEN_%d}" $index) -}}
{{- end -}}
{{- $seriatim := dict
      "partitions" (dict "count" (int .Values.partitions.count))
      "lease" (dict "release-timeout" (printf "%ds" (int .Values.shutdown.drainSeconds))) -}}
{{- if $operators -}}
{{- $_ := set $seriatim "security" (dict "operators" $operators) -}}
{{- end -}}
{{- with .Values.targets.allow -}}
{{- $_ := set $seriatim "targets" (dict "allow" .) -}}
{{- end -}}
{{- $chart := dict
      "server" (dict "port" (int .Values.service.port))
      "management" (dict "server" (dict "port" (int .Values.management.port)))
      "seriatim" $seriatim -}}
{{- mergeOverwrite (deepCopy .Values.config) $chart | toYaml -}}
{{- end -}}
