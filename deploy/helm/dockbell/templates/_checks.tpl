{{/* Stops with a message if values contradict each other. */}}
{{- define "dockbell.checkValues" -}}
{{- if not .Values.image.repository -}}
{{- fail "image.repository: no image of Dockbell is published. Build one, push it to your registry, and set its name." -}}
{{- end -}}
{{- if eq .Values.storage.type "postgres" -}}
{{- include "dockbell.checkPostgres" . -}}
{{- else if gt (int .Values.replicas) 1 -}}
{{- fail "replicas: only one daemon can use a SQLite file. Set storage.type to postgres, or replicas to 1." -}}
{{- end -}}
{{- end -}}

{{- define "dockbell.checkPostgres" -}}
{{- if not .Values.storage.existingSecret -}}
{{- fail "storage.existingSecret: storage.type postgres needs the name of a secret with the URL of the database under the key \"url\"." -}}
{{- end -}}
{{- if not (include "dockbell.masterKeySecret" .) -}}
{{- fail "masterKey.existingSecret: with storage.type postgres, all pods need the same master key. Name a secret that contains it." -}}
{{- end -}}
{{- range .Values.config.factories -}}
{{- if eq (default "" (get (default (dict) .source) "type")) "managed" -}}
{{- fail (printf "config.factories: the repository of the managed factory \"%s\" would be lost with its pod. With storage.type postgres, use a source of type live or repository." .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
