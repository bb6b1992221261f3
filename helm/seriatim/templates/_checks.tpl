{{/* What the schema cannot say: values that contradict each other. Each message names them and says what to do. */}}
{{- define "seriatim.checks" -}}
{{- $needed := add .Values.shutdown.preStopSeconds .Values.shutdown.drainSeconds 10 -}}
{{- if lt (int .Values.terminationGracePeriodSeconds) (int $needed) -}}
{{- fail (printf "terminationGracePeriodSeconds (%d) must be at least shutdown.preStopSeconds (%d) plus shutdown.drainSeconds (%d) plus 10, which is %d: raise it, or lower one of the two" (int .Values.terminationGracePeriodSeconds) (int .Values.shutdown.preStopSeconds) (int .Values.shutdown.drainSeconds) (int $needed)) -}}
{{- end -}}
{{- if not .Values.database.existingSecret -}}
{{- fail "database.existingSecret is required: name a Secret of this namespace with the user (key username) and the password (key password) of the database" -}}
{{- end -}}
{{- if and .Values.database.url .Values.database.urlKey -}}
{{- fail "database.url and database.urlKey are both set: keep one of them" -}}
{{- end -}}
{{- if not (or .Values.database.url .Values.database.urlKey) -}}
{{- fail "database.url is required, such as jdbc:postgresql://postgres:5432/seriatim; or database.urlKey, the key of database.existingSecret that holds it" -}}
{{- end -}}
{{- if not .Values.api.existingSecret -}}
{{- fail "api.existingSecret is required: name a Secret of this namespace with the API token (key token), 16 characters or more" -}}
{{- end -}}
{{- end -}}
