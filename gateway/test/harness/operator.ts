import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Browser } from "./browser.ts";
import { Client } from "./client.ts";
import type { TestGateway } from "./gateway.ts";

/** A person of the installation who was invited by the sandbox's token, and is signed in. */
export async function personOf(gateway: TestGateway, name: string, role = "admin"): Promise<Browser> {
  const email = `${randomUUID()}@example.com`;
  const invited = await gateway.operator.post<{ link: string }>("/people", { email, name, role });
  assert.equal(invited.status, 201, invited.text);
  return new Browser(gateway).use(invited.body.link.split("#link=")[1]!);
}

/** An operator by a token that a person of the name has made: another human than everybody else who calls. */
export async function operatorOf(gateway: TestGateway, name: string, role = "finance"): Promise<Client> {
  const person = await personOf(gateway, name);
  const made = await person.send<{ token: string }>("POST", "/operator/v1/tokens", { name, role });
  assert.equal(made.status, 201, made.text);
  return new Client(gateway.sandbox.operatorUrl).withToken(made.body.token);
}
