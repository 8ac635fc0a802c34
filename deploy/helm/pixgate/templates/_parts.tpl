{{- define "pixgate.labels" -}}
app.kubernetes.io/name: pixgate
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "pixgate.image" -}}
{{- with .Values.image }}
{{- if not .digest }}
{{- printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) }}
{{- else if regexMatch "^sha256:[0-9a-f]{64}$" .digest }}
{{- printf "%s@%s" .repository .digest }}
{{- else }}
{{- fail "image.digest: must be sha256: and 64 hexadecimal digits" }}
{{- end }}
{{- end }}
{{- end }}

{{- /* A setting as the gateway reads it. YAML takes on and off for booleans, and Helm writes numbers from a million on as 1e+06. */}}
{{- define "pixgate.setting" -}}
{{- if kindIs "bool" . }}{{ ternary "on" "off" . }}
{{- else if and (kindIs "float64" .) (eq (floor .) .) }}{{ printf "%.0f" . }}
{{- else }}{{ . }}
{{- end }}
{{- end }}

{{- define "pixgate.podSecurity" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: {}
  - name: data
    emptyDir: {}
{{- end }}

{{- define "pixgate.containerSecurity" -}}
image: {{ include "pixgate.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /data }
{{- end }}
