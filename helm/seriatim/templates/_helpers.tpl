{{- define "seriatim.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Leaves room for the suffixes of names: Services and labels have 63 characters. */}}
{{- define "seriatim.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "seriatim.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "seriatim.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "seriatim.commonLabels" -}}
app.kubernetes.io/name: {{ include "seriatim.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The pods that serve: neither those of a migration nor those of a test. */}}
{{- define "seriatim.selectorLabels" -}}
app.kubernetes.io/name: {{ include "seriatim.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: service
{{- end -}}

{{- define "seriatim.labels" -}}
{{ include "seriatim.commonLabels" . }}
app.kubernetes.io/component: service
{{- end -}}

{{- define "seriatim.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "seriatim.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "seriatim.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "seriatim.managementService" -}}
{{ include "seriatim.fullname" . }}-management
{{- end -}}

{{- define "seriatim.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "seriatim.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: {{ .Values.runAsUser }}
runAsGroup: {{ .Values.runAsUser }}
fsGroup: {{ .Values.runAsUser }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* The database as the user of a Secret. */}}
{{- define "seriatim.databaseEnv" -}}
{{- $secret := .secret -}}
{{- with .database -}}
- name: SPRING_DATASOURCE_URL
{{- if .urlKey }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret | quote }}
      key: {{ .urlKey | quote }}
{{- else }}
  value: {{ .url | quote }}
{{- end }}
- name: SPRING_DATASOURCE_USERNAME
  valueFrom:
    secretKeyRef:
      name: {{ $secret | quote }}
      key: {{ .usernameKey | quote }}
- name: SPRING_DATASOURCE_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ $secret | quote }}
      key: {{ .passwordKey | quote }}
{{- end -}}
{{- end -}}

{{/* What the image would start by itself, with the options of the values. */}}
{{- define "seriatim.command" -}}
command: [/opt/java/bin/java]
args:
  - "@java.options"
  {{- range .Values.jvm.options }}
  - {{ . | quote }}
  {{- end }}
  - -jar
  - seriatim.jar
workingDir: /application
{{- end -}}

{{/* The names of tokens are map keys of the configuration; the tokens themselves come from here. */}}
{{- define "seriatim.tokenEnv" -}}
- name: SERIATIM_SECURITY_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ .Values.api.existingSecret | quote }}
      key: {{ .Values.api.tokenKey | quote }}
{{- range $index, $operator := .Values.api.operators }}
- name: OPERATOR_TOKEN_{{ $index }}
  valueFrom:
    secretKeyRef:
      name: {{ $operator.existingSecret | quote }}
      key: {{ $operator.key | quote }}
{{- end }}
{{- end -}}

{{/* Labels that tell this release's meters from those of another. */}}
{{- define "seriatim.metricsSelector" -}}
{{- default (printf "namespace=%q,service=%q" .Release.Namespace (include "seriatim.managementService" .)) .Values.metrics.selector -}}
{{- end -}}

{{/* A query with the selector added to each of the service's meters. */}}
{{- define "seriatim.select" -}}
{{- $selector := .selector -}}
{{- $query := regexReplaceAll "\\b(seriatim_[a-z0-9_]+)\\b" .query (printf "${1}{%s}" $selector) -}}
{{- $query | replace "}{" "," -}}
{{- end -}}
