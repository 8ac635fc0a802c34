/** The Helm chart, as helm renders it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const CHART = fileURLToPath(new URL("../../deploy/helm/pixgate", import.meta.url));
const DIGEST = `sha256:${"0a".repeat(32)}`;

function render(...values: string[]): { images: string[]; err: string } {
  // A helm that was built from source takes the cluster for Kubernetes 1.20.
  const args = ["template", "x", CHART, "--kube-version", "1.27.0", ...values.flatMap((value) => ["--set", value])];
  const { stdout, stderr } = spawnSync("helm", args, { encoding: "utf8" });
  return { images: [...stdout.matchAll(/^ *image: (.*)$/gm)].map(([, image]) => image!), err: stderr };
}

test("names its image by a tag, or by a digest, which a tag beside it does not change", (t) => {
  if (spawnSync("helm", ["version"]).status !== 0) return t.skip("there is no helm here");
  const three = (image: string) => [image, image, image];
  assert.deepEqual(render("image.tag=1.2").images, three("pixgate:1.2"));
  const byDigest = render("image.repository=registry.example.com/pixgate", "image.tag=1.2", `image.digest=${DIGEST}`);
  assert.deepEqual(byDigest.images, three(`registry.example.com/pixgate@${DIGEST}`));
  for (const wrong of ["0a0a", "sha256:0a", `${DIGEST}00`, DIGEST.toUpperCase()]) {
    const refused = render(`image.digest=${wrong}`);
    assert.deepEqual(refused.images, [], wrong);
    assert.match(refused.err, /image\.digest: must be sha256: and 64 hexadecimal digits/);
  }
});
