{{/* Name of all objects: the release, with the name of the chart if the release does not contain it. */}}
{{- define "dockbell.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "dockbell.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "dockbell.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "dockbell.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "dockbell.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "dockbell.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "dockbell.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Name of the secret with the master key. Empty if the daemon creates the key in its volume. */}}
{{- define "dockbell.masterKeySecret" -}}
{{- if .Values.masterKey.existingSecret -}}
{{- .Values.masterKey.existingSecret -}}
{{- else if .Values.masterKey.value -}}
{{- printf "%s-master-key" (include "dockbell.fullname" .) -}}
{{- end -}}
{{- end -}}

{{/* Host names of the admin listener: its service, its pod, and those of the values. */}}
{{- define "dockbell.allowedHosts" -}}
{{- $service := printf "%s-admin" (include "dockbell.fullname" .) -}}
{{- $own := list "$(POD_IP)" $service (printf "%s.%s" $service .Release.Namespace) (printf "%s.%s.svc" $service .Release.Namespace) -}}
{{- $more := default (list) (get (default (dict) .Values.config.admin) "allowedHosts") -}}
{{- concat $own $more | join "," -}}
{{- end -}}
