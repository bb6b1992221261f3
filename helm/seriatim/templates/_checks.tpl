{{/* What the schema cannot say: values that contradict each other. Each message names them and says what to do. */}}
{{- define "seriatim.checks" -}}
{{- include "seriatim.checkName" . -}}
{{- include "seriatim.checkRequired" . -}}
{{- include "seriatim.checkShutdown" . -}}
{{- include "seriatim.checkReplicas" . -}}
{{- include "seriatim.checkConfig" . -}}
{{- include "seriatim.checkPods" . -}}
{{- include "seriatim.checkOptions" . -}}
{{- end -}}

{{- define "seriatim.checkName" -}}
{{- $name := include "seriatim.fullname" . -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]*[a-z0-9])?$" $name) -}}
{{- fail (printf "the name %s is none for a Service, which begins with a letter and has no dots: set fullnameOverride to another" $name) -}}
{{- end -}}
{{- end -}}

{{- define "seriatim.checkRequired" -}}
{{- if not .Values.database.existingSecret -}}
{{- fail "database.existingSecret is required: name a Secret of this namespace with the user (key username) and the password (key password) of the database" -}}
{{- end -}}
{{- if and .Values.database.url .Values.database.urlKey -}}
{{- fail "database.url and database.urlKey are both set: keep one of them" -}}
{{- end -}}
{{- if not (or .Values.database.url .Values.database.urlKey) -}}
{{- fail "database.url is required, such as jdbc:postgresql://postgres:5432/seriatim; or database.urlKey, the key of database.existingSecret that holds it" -}}
{{- end -}}
{{- if regexMatch "(?i)[?&]((ssl)?password|user)=|//[^/]*@" .Values.database.url -}}
{{- fail "database.url has a user or a password in it, which everybody could read in the manifest: leave them to database.existingSecret" -}}
{{- end -}}
{{- if not .Values.api.existingSecret -}}
{{- fail "api.existingSecret is required: name a Secret of this namespace with the API token (key token), 16 characters or more" -}}
{{- end -}}
{{- if and (eq .Values.migrations.mode "job") (not .Values.migrations.existingSecret) -}}
{{- fail "migrations.mode is job, so migrations.existingSecret is required: name a Secret of this namespace with the user that owns the tables" -}}
{{- end -}}
{{- end -}}

{{- define "seriatim.checkShutdown" -}}
{{- $needed := add .Values.shutdown.preStopSeconds .Values.shutdown.drainSeconds 10 | int -}}
{{- $grace := int .Values.terminationGracePeriodSeconds -}}
{{- if lt $grace $needed -}}
{{- fail (printf "terminationGracePeriodSeconds (%d) must be at least shutdown.preStopSeconds (%d) plus shutdown.drainSeconds (%d) plus 10 for answering and closing, which is %d: raise it, or lower one of them" $grace (int .Values.shutdown.preStopSeconds) (int .Values.shutdown.drainSeconds) $needed) -}}
{{- end -}}
{{- end -}}

{{- define "seriatim.checkReplicas" -}}
{{- $count := int .Values.partitions.count -}}
{{- if eq .Values.autoscaling.by "NONE" -}}
{{- if gt (int .Values.replicaCount) $count -}}
{{- fail (printf "replicaCount (%d) is above partitions.count (%d): each partition has one owner, so the others would do nothing. Lower replicaCount" (int .Values.replicaCount) $count) -}}
{{- end -}}
{{- else -}}
{{- if gt (int .Values.autoscaling.maxReplicas) $count -}}
{{- fail (printf "autoscaling.maxReplicas (%d) is above partitions.count (%d): each partition has one owner, so the others would do nothing. Lower maxReplicas" (int .Values.autoscaling.maxReplicas) $count) -}}
{{- end -}}
{{- if gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas) -}}
{{- fail (printf "autoscaling.minReplicas (%d) is above autoscaling.maxReplicas (%d): lower one or raise the other" (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.autoscaling.by "KEDA") (not .Values.autoscaling.keda.prometheusAddress) -}}
{{- fail "autoscaling.by is KEDA, so autoscaling.keda.prometheusAddress is required, such as http://prometheus.monitoring.svc:9090" -}}
{{- end -}}
{{- end -}}

{{- define "seriatim.checkConfig" -}}
{{- $owned := dict
      "server.port" "the chart: the container's port is 8080, that of the Service is service.port"
      "server.address" "the chart: a pod listens on all of its addresses"
      "management.server" "the chart: probes and Prometheus ask port 9090"
      "management.endpoints.web.basepath" "the chart: probes and Prometheus ask /actuator"
      "spring.config" "the chart"
      "spring.datasource.url" "database.url or database.urlKey"
      "spring.datasource.username" "database.existingSecret"
      "spring.datasource.password" "database.existingSecret"
      "seriatim.migrations.run" "migrations.mode"
      "seriatim.partitions.count" "partitions.count"
      "seriatim.security" "api.existingSecret and api.operators"
      "seriatim.shutdown" "shutdown and terminationGracePeriodSeconds"
      "seriatim.targets.allow" "targets.allow" -}}
{{- range $line := include "seriatim.settingNames" (dict "map" .Values.config "path" "") | splitList "\n" -}}
{{- $name := trimPrefix "=" $line -}}
{{- range $setting, $by := $owned -}}
{{- if or (eq $name $setting) (hasPrefix (printf "%s." $setting) $name) -}}
{{- fail (printf "config sets %s, which is set by %s: take it out of config" $name $by) -}}
{{- end -}}
{{- end -}}
{{- if and (hasPrefix "=" $line) (not (hasPrefix "logging." $name)) (regexMatch "(password|secret|token|credentials?|apikey|privatekey|authorization)$" $name) -}}
{{- fail (printf "config sets %s, which looks like a secret that everybody could read in the ConfigMap: put it into a Secret, read that by extraEnv, and write ${NAME_OF_THE_VARIABLE} here" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "seriatim.checkPods" -}}
{{- range .Values.extraEnv -}}
{{- /* As Spring Boot reads names of variables. */ -}}
{{- $name := .name | upper | replace "." "_" | replace "-" "" -}}
{{- if or (eq $name "SPRING_APPLICATION_JSON") (regexMatch "^(SPRING_CONFIG_|SPRING_DATASOURCE_(URL|USERNAME|PASSWORD)$|SERIATIM_SECURITY_|SERIATIM_SHUTDOWN_|SERIATIM_MIGRATIONS_RUN|SERIATIM_PARTITIONS_COUNT|SERIATIM_TARGETS_ALLOW|OPERATOR_TOKEN_|SERVER_PORT$|MANAGEMENT_SERVER_PORT$)" $name) -}}
{{- fail (printf "extraEnv has %s, which the chart sets by other values: take it out" .name) -}}
{{- end -}}
{{- end -}}
{{- range $label, $_ := .Values.podLabels -}}
{{- if or (hasPrefix "app.kubernetes.io/" $label) (hasPrefix "helm.sh/" $label) -}}
{{- fail (printf "podLabels has %s, by which the chart finds its pods: use another name" $label) -}}
{{- end -}}
{{- end -}}
{{- $names := dict -}}
{{- range .Values.api.operators -}}
{{- if has .name (list "api-token" "loopback") -}}
{{- fail (printf "api.operators has the name %s, which the service uses itself: choose another" .name) -}}
{{- end -}}
{{- if hasKey $names .name -}}
{{- fail (printf "api.operators has the name %s twice: nobody could tell who did what" .name) -}}
{{- end -}}
{{- $_ := set $names .name true -}}
{{- end -}}
{{- end -}}

{{- define "seriatim.checkOptions" -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.enabled is true, so ingress.hosts is required: without a host it would answer for all of them" -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.enabled is true, so httpRoute.parentRefs is required: name the gateway it belongs to" -}}
{{- end -}}
{{- if and .Values.prometheusRule.enabled (not .Values.prometheusRule.runbookBaseUrl) -}}
{{- fail "prometheusRule.enabled is true, so prometheusRule.runbookBaseUrl is required: where you publish the pages of src/docs/runbooks" -}}
{{- end -}}
{{- end -}}
