{{/*
application.yml: what the chart knows, and config. The two never say different things about one setting, because
config is refused where it names what the chart sets (_checks.tpl).
*/}}
{{- define "seriatim.config" -}}
{{- $operators := dict -}}
{{- range $index, $operator := .Values.api.operators -}}
{{- $_ := set $operators (printf "[%s]" $operator.name) (printf "${OPERATOR_TOKEN_%d}" $index) -}}
{{- end -}}
{{- $seriatim := dict
      "migrations" (dict "run" (ternary "never" "at-start" (eq .Values.migrations.mode "job")))
      "partitions" (dict "count" (int .Values.partitions.count))
      "shutdown" (dict
        "drain" (printf "%ds" (int .Values.shutdown.drainSeconds))
        "grace-period" (printf "%ds" (int .Values.terminationGracePeriodSeconds))
        "pre-stop" (printf "%ds" (int .Values.shutdown.preStopSeconds))) -}}
{{- if $operators -}}
{{- $_ := set $seriatim "security" (dict "operators" $operators) -}}
{{- end -}}
{{- with .Values.targets.allow -}}
{{- $_ := set $seriatim "targets" (dict "allow" .) -}}
{{- end -}}
{{- $chart := dict
      "server" (dict "port" 8080)
      "management" (dict "server" (dict "port" 9090))
      "seriatim" $seriatim -}}
{{- mergeOverwrite (deepCopy .Values.config) $chart | toYaml -}}
{{- end -}}

{{/*
The names of all settings in a map, one a line, as Spring Boot compares them: without dashes, underscores and case.
One whose value is written out begins with "=".
*/}}
{{- define "seriatim.settingNames" -}}
{{- $path := .path -}}
{{- range $key, $value := .map -}}
{{- $name := $key | lower | replace "-" "" | replace "_" "" | replace "[" "." | replace "]" "" | trimPrefix "." -}}
{{- $name = ternary (printf "%s.%s" $path $name) $name (ne $path "") -}}
{{- if kindIs "map" $value -}}
{{- include "seriatim.settingNames" (dict "map" $value "path" $name) -}}
{{- else if kindIs "slice" $value -}}
{{- $name }}{{ "\n" -}}
{{- range $value -}}
{{- if kindIs "map" . -}}
{{- include "seriatim.settingNames" (dict "map" . "path" $name) -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- ternary $name (printf "=%s" $name) (and (kindIs "string" $value) (hasPrefix "${" (toString $value))) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
