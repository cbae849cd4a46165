import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Secret, Service, ServiceAccount } from 'kubernetes-models/v1';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { hasProgram } from '../helpers/has-program.ts';
import { readStopSeconds } from '../helpers/stop-seconds.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CHART = join(ROOT, 'deploy/helm/dockbell');
const RENDERER = join(ROOT, 'test/faults/kit/render-chart.go');
/** Debian's packages of sprig and the YAML library that Helm uses. */
const DEBIAN_GO = '/usr/share/gocode';
const GO_PACKAGES = ['github.com/Masterminds/sprig', 'sigs.k8s.io/yaml'];

/** Without it, an old Helm renders for a version that the chart does not support. */
const KUBERNETES = '1.33.0';

const hasHelm = hasProgram('helm');
const hasGoPackages = GO_PACKAGES.every((name) => existsSync(join(DEBIAN_GO, 'src', name)));
const hasGo = hasHelm || (hasProgram('go') && hasGoPackages);

interface KubernetesObject {
  kind: string;
  metadata: { name: string };
  // biome-ignore lint/suspicious/noExplicitAny: objects have many shapes
  [key: string]: any;
}

const KINDS = {
  Deployment,
  StatefulSet,
  PodDisruptionBudget,
  Ingress,
  NetworkPolicy,
  ConfigMap,
  Secret,
  Service,
  ServiceAccount,
};

/** What has no default. */
const IMAGE = { repository: 'registry.example.com/dockbell' };

const EVERYTHING = {
  image: IMAGE,
  masterKey: { value: `${'A'.repeat(43)}=` },
  config: { baseUrl: 'https://hooks.example.com', admin: { allowedHosts: ['dockbell.example.com'] } },
  ingress: { enabled: true, className: 'nginx', tlsSecretName: 'hooks-tls', annotations: { a: 'b' } },
  networkPolicy: { enabled: true, adminFrom: [{ podSelector: { matchLabels: { app: 'prometheus' } } }] },
  serviceMonitor: { enabled: true, tokenSecret: 'metrics-token', labels: { release: 'prometheus' } },
  env: [{ name: 'TOKEN', value: 'x' }],
  envFrom: [{ secretRef: { name: 'more' } }],
  persistence: { storageClassName: 'fast', annotations: { c: 'd' } },
  podLabels: { team: 'platform' },
  podAnnotations: { e: 'f' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'g', operator: 'Exists' }],
  imagePullSecrets: [{ name: 'registry' }],
  extraVolumes: [{ name: 'ssh', secret: { secretName: 'ssh' } }],
  extraVolumeMounts: [{ name: 'ssh', mountPath: '/ssh', readOnly: true }],
};

const REPLICAS = {
  image: IMAGE,
  replicas: 2,
  storage: { type: 'postgres', existingSecret: 'database' },
  masterKey: { existingSecret: 'key' },
  networkPolicy: { enabled: true },
  config: { factories: [{ name: 'main', source: { type: 'live' } }] },
};

/** The objects that the chart makes, by kind and name. Helm renders it, otherwise Go's template engine with Helm's functions. */
function render(values: object): Map<string, KubernetesObject> {
  const file = join(createTempDir('values'), 'values.yaml');
  writeFileSync(file, stringify(values));
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: DEBIAN_GO, GOCACHE: join(ROOT, '.cache/go') };
  const options = ['--namespace', 'apps', '--kube-version', KUBERNETES, '--values', file];
  const text = hasHelm
    ? execFileSync('helm', ['template', 'demo', CHART, ...options], { encoding: 'utf8', stdio: 'pipe' })
    : execFileSync('go', ['run', RENDERER, CHART, 'demo', 'apps', file], { encoding: 'utf8', stdio: 'pipe', env });
  const objects = parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject | null);
  return new Map(objects.filter((each) => each?.kind).map((each) => [`${each!.kind}/${each!.metadata.name}`, each!]));
}

describe.runIf(hasGo)('the Helm chart', () => {
  let plain: Map<string, KubernetesObject>;
  let full: Map<string, KubernetesObject>;

  beforeAll(() => {
    plain = render({ image: IMAGE });
    full = render(EVERYTHING);
  });

  it.runIf(hasHelm)('has no finding of helm lint', () => {
    expect(execFileSync('helm', ['lint', '--strict', CHART], { encoding: 'utf8' })).toContain('0 chart(s) failed');
  });

  it('makes a pod with a volume, two services and the configuration by default', () => {
    expect([...plain.keys()].sort()).toEqual([
      'ConfigMap/demo-dockbell',
      'Service/demo-dockbell-admin',
      'Service/demo-dockbell-ingress',
      'ServiceAccount/demo-dockbell',
      'StatefulSet/demo-dockbell',
    ]);
    expect([...full.keys()].filter((key) => !plain.has(key)).sort()).toEqual([
      'Ingress/demo-dockbell',
      'NetworkPolicy/demo-dockbell',
      'Secret/demo-dockbell-master-key',
      'ServiceMonitor/demo-dockbell',
    ]);
  });

  it('makes objects that are valid for the schemas of Kubernetes', () => {
    for (const object of [...plain.values(), ...full.values()]) {
      const Model = KINDS[object.kind as keyof typeof KINDS];
      // The monitor is a resource of the Prometheus operator.
      if (Model === undefined) expect(object.kind).toBe('ServiceMonitor');
      else expect(() => new Model(object as never).validate(), object.kind).not.toThrow();
    }
  });

  it('satisfies the restricted Pod Security Standard, with a read-only root file system', () => {
    const { spec } = full.get('StatefulSet/demo-dockbell')!.spec.template;
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(spec.automountServiceAccountToken).toBe(false);
  });

  it('passes the configuration, the master key and the host names on', () => {
    expect(parse(full.get('ConfigMap/demo-dockbell')!.data['dockbell.yaml']).baseUrl).toBe('https://hooks.example.com');
    const { env } = full.get('StatefulSet/demo-dockbell')!.spec.template.spec.containers[0];
    const byName = new Map(env.map((each: { name: string }) => [each.name, each]));
    expect(byName.get('DOCKBELL_MASTER_KEY')).toMatchObject({
      valueFrom: { secretKeyRef: { name: 'demo-dockbell-master-key', key: 'master-key' } },
    });
    expect(byName.get('DOCKBELL_ADMIN_ALLOWED_HOSTS')).toMatchObject({
      value: '$(POD_IP),demo-dockbell-admin,demo-dockbell-admin.apps,demo-dockbell-admin.apps.svc,dockbell.example.com',
    });
    const plainEnv = plain.get('StatefulSet/demo-dockbell')!.spec.template.spec.containers[0].env;
    expect(plainEnv.map(({ name }: { name: string }) => name)).not.toContain('DOCKBELL_MASTER_KEY');
  });

  it('publishes the path of webhooks only, and connects services and probes to the ports of the container', () => {
    const { paths } = full.get('Ingress/demo-dockbell')!.spec.rules[0].http;
    expect(paths.map(({ path, backend }: KubernetesObject) => [path, backend.service.name])).toEqual([
      ['/webhooks/w/', 'demo-dockbell-ingress'],
    ]);
    const [container] = full.get('StatefulSet/demo-dockbell')!.spec.template.spec.containers;
    const ports = container.ports.map(({ name }: { name: string }) => name);
    for (const listener of ['ingress', 'admin']) {
      expect(full.get(`Service/demo-dockbell-${listener}`)!.spec.ports[0].targetPort).toBe(listener);
      expect(ports).toContain(listener);
    }
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'ingress' });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'ingress' });
  });

  it('restarts the pod if the configuration changes', () => {
    const sum = (objects: typeof plain) =>
      objects.get('StatefulSet/demo-dockbell')!.spec.template.metadata.annotations['checksum/config'];
    expect(sum(plain)).toMatch(/^[0-9a-f]{64}$/);
    expect(sum(full)).not.toBe(sum(plain));
  });
});

describe.runIf(hasGo)('the Helm chart with several replicas', () => {
  let objects: Map<string, KubernetesObject>;
  let deployment: KubernetesObject;

  beforeAll(() => {
    objects = render(REPLICAS);
    deployment = objects.get('Deployment/demo-dockbell')!;
  });

  it('makes a valid deployment and a disruption budget instead of the pod with a volume', () => {
    expect([...objects.keys()].sort()).toEqual([
      'ConfigMap/demo-dockbell',
      'Deployment/demo-dockbell',
      'NetworkPolicy/demo-dockbell',
      'PodDisruptionBudget/demo-dockbell',
      'Service/demo-dockbell-admin',
      'Service/demo-dockbell-ingress',
      'ServiceAccount/demo-dockbell',
    ]);
    for (const object of objects.values()) {
      const Model = KINDS[object.kind as keyof typeof KINDS];
      expect(() => new Model(object as never).validate(), object.kind).not.toThrow();
    }
    expect(deployment.spec.template.spec.volumes).toContainEqual({ name: 'data', emptyDir: {} });
  });

  it('keeps both replicas during an update, one during a disruption, and prefers two nodes', () => {
    const { spec } = deployment;
    expect(spec.replicas).toBe(2);
    expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    const { containers, terminationGracePeriodSeconds } = spec.template.spec;
    const [, seconds] = containers[0].lifecycle.preStop.exec.command;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(readStopSeconds() + Number(seconds));
    const budget = objects.get('PodDisruptionBudget/demo-dockbell')!.spec;
    expect(budget).toEqual({ minAvailable: 1, selector: spec.selector });
    const [preferred] = spec.template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
    expect(preferred.podAffinityTerm).toEqual({ topologyKey: 'kubernetes.io/hostname', labelSelector: spec.selector });
    const own = { nodeAffinity: {} };
    const chosen = render({ ...REPLICAS, affinity: own }).get('Deployment/demo-dockbell')!;
    expect(chosen.spec.template.spec.affinity).toEqual(own);
  });

  it('gives each replica the database, the master key, a name, and an address that the others may reach', () => {
    const { env } = deployment.spec.template.spec.containers[0];
    const byName = new Map<string, KubernetesObject>(env.map((each: { name: string }) => [each.name, each]));
    expect(byName.get('DOCKBELL_STORAGE_TYPE')!.value).toBe('postgres');
    expect(byName.get('DOCKBELL_STORAGE_URL')!.valueFrom).toEqual({ secretKeyRef: { name: 'database', key: 'url' } });
    expect(byName.get('DOCKBELL_MASTER_KEY')!.valueFrom).toEqual({ secretKeyRef: { name: 'key', key: 'master-key' } });
    expect(byName.get('DOCKBELL_REPLICA_NAME')!.valueFrom).toEqual({ fieldRef: { fieldPath: 'metadata.name' } });
    expect(byName.get('DOCKBELL_REPLICA_ADMIN_URL')!.value).toBe('http://$(POD_IP):8788');
    // Kubernetes resolves a reference only to a variable that is listed before it.
    expect([...byName.keys()].indexOf('POD_IP')).toBeLessThan([...byName.keys()].indexOf('DOCKBELL_REPLICA_ADMIN_URL'));
    const [, fromReplicas] = objects.get('NetworkPolicy/demo-dockbell')!.spec.ingress;
    expect(fromReplicas.ports[0].port).toBe('admin');
    expect(fromReplicas.from).toEqual([{ podSelector: deployment.spec.selector }]);
  });

  it('makes each replica ready that accepts deliveries, also a follower, and both services choose all of them', () => {
    const [container] = deployment.spec.template.spec.containers;
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'ingress' });
    for (const listener of ['ingress', 'admin']) {
      const { selector } = objects.get(`Service/demo-dockbell-${listener}`)!.spec;
      expect(deployment.spec.template.metadata.labels).toMatchObject(selector);
    }
  });

  it('makes one replica without a disruption budget, which would keep its node from being drained', () => {
    const kinds = [...render({ ...REPLICAS, replicas: 1 }).values()].map(({ kind }) => kind);
    expect(kinds).toContain('Deployment');
    expect(kinds).not.toContain('PodDisruptionBudget');
  });

  it.each([
    ['a pod without an image', {}, 'image.repository: no image of Dockbell is published'],
    ['several replicas with SQLite', { image: IMAGE, replicas: 2 }, 'replicas: only one daemon can use a SQLite file'],
    ['a database without URL', { ...REPLICAS, storage: { type: 'postgres' } }, 'storage.existingSecret: '],
    ['replicas without a shared master key', { ...REPLICAS, masterKey: {} }, 'masterKey.existingSecret: '],
    ['a repository in a pod', { ...REPLICAS, config: {} }, 'the managed factory "main" would be lost'],
  ])('does not make %s', (_what, values, message) => {
    expect(() => render(values)).toThrow(message);
  });
});
