import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { Deployment } from 'kubernetes-models/apps/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../deploy/kubernetes');
const models = { ConfigMap, Deployment, PersistentVolumeClaim, PodDisruptionBudget, Service };

type Manifest = Record<string, any>;

/** What `kubectl kustomize` makes of a folder, as far as ours use it: resources, and patches that add and replace. */
function render(name: string): Manifest[] {
  const read = (file: string): string => readFileSync(join(folder, name, file), 'utf8');
  const { resources, patches = [] } = load(read('kustomization.yaml')) as Manifest;
  const all: Manifest[] = resources.flatMap((one: string) =>
    one.endsWith('.yaml') ? (loadAll(read(one)) as Manifest[]) : render(join(name, one)),
  );
  for (const { target, patch } of patches)
    for (const { op, path, value } of load(patch) as Manifest[]) {
      const found = all.find(
        (one) => one['kind'] === target.kind && one['metadata'].name === target.name,
      );
      const steps: string[] = path.split('/').slice(1);
      const last = steps.pop() ?? '';
      const parent = steps.reduce((at: any, step) => at[step], found);
      expect(last in parent, `${op} ${path}`).toBe(op === 'replace');
      parent[last] = value;
    }
  return all;
}

const one = (all: Manifest[], kind: string): Manifest =>
  all.find((manifest) => manifest['kind'] === kind) ?? {};

describe.each(['single', 'replicas'])('deploy/kubernetes/%s', (name) => {
  it('is valid by the schemas of Kubernetes', () => {
    for (const manifest of render(name)) {
      const Model = models[manifest['kind'] as keyof typeof models];
      expect(() => new Model(manifest as never).validate()).not.toThrow();
    }
  });

  it('has selectors that find its pods, volumes that are mounted, and variables that exist', () => {
    const all = render(name);
    const { template, selector } = one(all, 'Deployment')['spec'];
    const labels = template.metadata.labels;
    const selectors = [selector.matchLabels, one(all, 'Service')['spec'].selector];
    if (name === 'replicas')
      selectors.push(one(all, 'PodDisruptionBudget')['spec'].selector.matchLabels);
    for (const wanted of selectors) expect(labels).toMatchObject(wanted);
    const [container] = template.spec.containers;
    expect(container.volumeMounts.map((mount: any) => mount.name)).toEqual(
      template.spec.volumes.map((volume: any) => volume.name),
    );
    const known = readFileSync(join(folder, '../../.env.example'), 'utf8');
    for (const variable of Object.keys(one(all, 'ConfigMap')['data']))
      expect(known).toMatch(new RegExp(`^#? ?${variable}=`, 'm'));
  });

  it('keeps images where every gateway finds them, after a restart too', () => {
    const all = render(name);
    const { replicas, strategy, template } = one(all, 'Deployment')['spec'];
    // Several are replaced one after the other; a volume has one pod at a time.
    if (replicas > 1)
      expect(strategy).toMatchObject({
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: 0 },
      });
    else expect(strategy).toEqual({ type: 'Recreate' });
    const claim = template.spec.volumes[0].persistentVolumeClaim?.claimName;
    if (replicas > 1) expect(one(all, 'ConfigMap')['data'].STORAGE).toMatch(/^s3:/);
    else expect(claim).toBe(one(all, 'PersistentVolumeClaim')['metadata'].name);
  });
});
