/** The Helm chart, as helm renders it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments, stringify } from "yaml";

const CHART = fileURLToPath(new URL("../../../deploy/helm/pixgate", import.meta.url));
const DIGEST = `sha256:${"0a".repeat(32)}`;

const PROXY = "trustedProxies=10.244.3.17";

function render(...values: string[]): { images: string[]; out: string; err: string } {
  // A helm that was built from source takes the cluster for Kubernetes 1.20.
  const args = ["template", "x", CHART, "--kube-version", "1.27.0", ...values.flatMap((value) => ["--set", value])];
  const { stdout, stderr } = spawnSync("helm", args, { encoding: "utf8" });
  return { images: [...stdout.matchAll(/^ *image: (.*)$/gm)].map(([, image]) => image!), out: stdout, err: stderr };
}

test("names its image by a tag, or by a digest, which a tag beside it does not change", (t) => {
  if (spawnSync("helm", ["version"]).status !== 0) return t.skip("there is no helm here");
  const three = (image: string) => [image, image, image];
  assert.deepEqual(render(PROXY, "image.tag=1.2").images, three("pixgate:1.2"));
  const byDigest = render(
    PROXY,
    "image.repository=registry.example.com/pixgate",
    "image.tag=1.2",
    `image.digest=${DIGEST}`,
  );
  assert.deepEqual(byDigest.images, three(`registry.example.com/pixgate@${DIGEST}`));
  for (const wrong of ["0a0a", "sha256:0a", `${DIGEST}00`, DIGEST.toUpperCase()]) {
    const refused = render(PROXY, `image.digest=${wrong}`);
    assert.deepEqual(refused.images, [], wrong);
    assert.match(refused.err, /image\.digest: must be sha256: and 64 hexadecimal digits/);
  }
});

test("trusts no network that nobody named, and takes a proxy's secret", () => {
  const read = (path: string) => readFileSync(`${CHART}/${path}`, "utf8");
  const values = parse(read("values.yaml")) as { trustedProxies: string; proxySecret: string };
  assert.deepEqual([values.trustedProxies, values.proxySecret], ["", ""]);
  const deployments = read("templates/deployments.yaml");
  assert.match(
    deployments,
    /PIXGATE_TRUSTED_PROXIES, value: \{\{ required "[^"]+" \$\.Values\.trustedProxies \| quote \}\}/,
  );
  assert.match(
    deployments,
    /with \$\.Values\.proxySecret[\s\S]+secretKeyRef: \{ name: \{\{ \. \}\}, key: PIXGATE_PROXY_SECRET \}/,
  );
});

test("is refused without the proxies' addresses, as helm renders it", (t) => {
  if (spawnSync("helm", ["version"]).status !== 0) return t.skip("there is no helm here");
  const refused = render();
  assert.deepEqual(refused.images, []);
  assert.match(refused.err, /trustedProxies: name the addresses of the ingress controller/);
  assert.doesNotMatch(render(PROXY).out, /PIXGATE_PROXY_SECRET/);
  const { out } = render(PROXY, "proxySecret=pixgate-proxy");
  assert.equal(out.match(/secretKeyRef: \{ name: pixgate-proxy, key: PIXGATE_PROXY_SECRET \}/g)?.length, 2);
});

type Variable = { readonly name: string; readonly value?: string };
type Pods = { readonly containers: readonly { readonly env: readonly Variable[] }[] };
type Kind = { readonly kind: string; readonly spec: { readonly template?: { readonly spec: Pods } } };

test("renders what Kubernetes reads, whichever parts are on, with settings as the gateway takes them", (t) => {
  if (spawnSync("helm", ["version"]).status !== 0) return t.skip("there is no helm here");
  const folder = mkdtempSync(join(tmpdir(), "pixgate-chart-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const rendered = (values: object): Kind[] => {
    const file = join(folder, "values.yaml");
    // As somebody writes it: `on` without quotes is a boolean to Helm, and a large number has an exponent.
    writeFileSync(file, stringify({ trustedProxies: "10.244.3.17", ...values }).replace(/"(on|off)"/g, "$1"));
    const args = ["template", "x", CHART, "--kube-version", "1.27.0", "-f", file];
    const { stdout, stderr, status } = spawnSync("helm", args, { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return parseAllDocuments(stdout).map((document) => {
      assert.deepEqual(document.errors, []);
      return document.toJS() as Kind;
    });
  };
  const kinds = (values: object) => rendered(values).map(({ kind }) => kind);
  const always = ["PodDisruptionBudget", "Service", "Deployment"].flatMap((kind) => [kind, kind]);
  const fixed = { autoscaling: { enabled: false } };
  const least = { api: fixed, worker: fixed, networkPolicy: { enabled: false } };
  assert.deepEqual(kinds(least).sort(), [...always, "Job"].sort());
  const all = {
    ingress: { enabled: true },
    serviceMonitor: { enabled: true },
    imagePullSecrets: [{ name: "registry" }],
  };
  const more = ["HorizontalPodAutoscaler", "HorizontalPodAutoscaler", "NetworkPolicy", "Ingress", "ServiceMonitor"];
  assert.deepEqual(kinds(all).sort(), [...always, "Job", ...more].sort());

  const queue = { autoscaling: { queue: { enabled: true, perPod: 2_500_000 } } };
  const env = { PIXGATE_TWO_PERSONS: "on", PIXGATE_TRACES: "off", PIXGATE_RATE_LIMIT: 10_000_000, PIXGATE_SAMPLE: 0.5 };
  const set = rendered({ env, worker: queue });
  for (const { spec } of set.filter(({ kind }) => kind === "Deployment")) {
    const [container] = spec.template!.spec.containers;
    const values = container!.env.filter(({ name }) => name in env).map(({ name, value }) => [name, value]);
    assert.deepEqual(Object.fromEntries(values), {
      ...{ PIXGATE_TWO_PERSONS: "on", PIXGATE_TRACES: "off" },
      ...{ PIXGATE_RATE_LIMIT: "10000000", PIXGATE_SAMPLE: "0.5" },
    });
  }
  assert.match(JSON.stringify(set), /"averageValue":"2500000"/);
});
