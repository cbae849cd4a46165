{{/* The pod of the stateful set and of the deployment: its metadata and its specification. */}}
{{- define "dockbell.pod" -}}
{{- include "dockbell.checkValues" . -}}
metadata:
  labels:
    {{- include "dockbell.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/config: {{ toYaml .Values.config | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "dockbell.serviceAccountName" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: dockbell
      image: {{ include "dockbell.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      env:
        # The daemon creates this folder below the volume with mode 0700. The volume itself belongs to a group.
        - name: DOCKBELL_DATA_DIR
          value: /var/lib/dockbell/data
        # Prometheus and other pods use the address of the pod or the name of the service as host name.
        - name: POD_IP
          valueFrom:
            fieldRef:
              fieldPath: status.podIP
        - name: DOCKBELL_ADMIN_ALLOWED_HOSTS
          value: {{ include "dockbell.allowedHosts" . | quote }}
        {{- with include "dockbell.masterKeySecret" . }}
        - name: DOCKBELL_MASTER_KEY
          valueFrom:
            secretKeyRef:
              name: {{ . }}
              key: master-key
        {{- end }}
        {{- if eq .Values.storage.type "postgres" }}
        {{- include "dockbell.replicaEnv" . | nindent 8 }}
        {{- end }}
        {{- with .Values.env }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .Values.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - name: ingress
          containerPort: 8787
        - name: admin
          containerPort: 8788
      # The first start of a new version upgrades the database.
      startupProbe:
        httpGet:
          path: /healthz
          port: ingress
        periodSeconds: 5
        failureThreshold: 180
      livenessProbe:
        httpGet:
          path: /healthz
          port: ingress
        periodSeconds: 20
        timeoutSeconds: 10
        failureThreshold: 6
      readinessProbe:
        httpGet:
          path: /readyz
          port: ingress
        periodSeconds: 5
        timeoutSeconds: 5
      {{- if eq .Values.storage.type "postgres" }}
      # The service stops sending requests before the listener closes.
      lifecycle:
        preStop:
          exec:
            command: [sleep, "5"]
      {{- end }}
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - name: data
          mountPath: /var/lib/dockbell
        - name: config
          mountPath: /etc/dockbell
          readOnly: true
        - name: tmp
          mountPath: /tmp
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: config
      configMap:
        name: {{ include "dockbell.fullname" . }}
    - name: tmp
      emptyDir: {}
    {{- if eq .Values.storage.type "postgres" }}
    - name: data
      emptyDir: {}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with include "dockbell.affinity" . }}
  affinity:
    {{- . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* What a replica needs in addition: the database, and what the other replicas see of it. */}}
{{- define "dockbell.replicaEnv" -}}
- name: DOCKBELL_STORAGE_TYPE
  value: postgres
- name: DOCKBELL_STORAGE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.storage.existingSecret }}
      key: url
- name: DOCKBELL_REPLICA_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
# The image binds the admin listener to all addresses of the pod.
- name: DOCKBELL_REPLICA_ADMIN_URL
  value: http://$(POD_IP):8788
{{- end -}}

{{/* The affinity of the values. Without it, replicas prefer nodes that have no other replica. */}}
{{- define "dockbell.affinity" -}}
{{- if .Values.affinity -}}
{{- toYaml .Values.affinity -}}
{{- else if eq .Values.storage.type "postgres" -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "dockbell.selectorLabels" . | nindent 12 }}
{{- end -}}
{{- end -}}
