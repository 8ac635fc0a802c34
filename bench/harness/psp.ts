/**
 * A PSP that takes no time of its own: the calls of API Pix that a charge and its payment need, answered from memory
 * after `delay` milliseconds, in a process of its own. It keeps no books; the simulator does.
 */
import { type ChildProcess, fork } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Agent, request as send } from "undici";
import { answerOf } from "./answer.ts";
import { CODE } from "./tenants.ts";

/** Notifications under way at once. */
const NOTIFYING = 64;

export type BarePsp = {
  readonly url: string;
  readonly pid: number;
  /**
   * Pays charges of R$ 100.00 and notifies of each. Gives, when every notification has had its 200, when each was sent
   * (`process.hrtime.bigint()`, the machine's clock), by txid.
   */
  pay(txids: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
  stop(): void;
};

/** Its key, also the path of its webhook; credentials are not checked. */
export const PSP_KEY = "11111111-1111-4111-8111-111111111111";

export async function startPsp(delay: number): Promise<BarePsp> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [String(delay)], { execArgv: [] });
  const { port } = await answerOf<{ port: number }>(child);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    async pay(txids) {
      child.send({ txids });
      const { sent } = await answerOf<{ sent: Record<string, string> }>(child);
      return new Map(Object.entries(sent).map(([txid, at]) => [txid, BigInt(at)] as const));
    },
    stop: () => void child.kill(),
  };
}

function runPsp(delay: number): void {
  const paid = new Map<string, object>();
  let webhook = "";
  let payments = 0;
  const agent = new Agent({ connections: NOTIFYING, pipelining: 1 });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const [status, body] = answer(request, Buffer.concat(chunks).toString());
      if (delay === 0) write(response, status, body);
      else setTimeout(write, delay, response, status, body);
    });
  });
  server.keepAliveTimeout = 60_000;

  function answer({ method, url = "" }: IncomingMessage, body: string): [number, object] {
    const [path] = url.split("?");
    const id = path!.split("/").at(-1)!;
    if (path === "/oauth/token") return [200, { access_token: "bench", token_type: "Bearer", expires_in: 3600 }];
    if (method === "PUT" && path!.startsWith("/v2/cob/")) {
      const cob = JSON.parse(body) as { calendario: object; valor: object; chave: string };
      const calendario = { ...cob.calendario, criacao: new Date().toISOString() };
      return [201, { ...cob, calendario, txid: id, revisao: 0, status: "ATIVA", pixCopiaECola: CODE }];
    }
    if (method === "PUT" && path!.startsWith("/v2/webhook/")) {
      webhook = (JSON.parse(body) as { webhookUrl: string }).webhookUrl;
      return [200, {}];
    }
    if (path === "/v2/pix") return [200, { parametros: { paginacao: { quantidadeDePaginas: 0 } }, pix: [] }];
    const pix = path!.startsWith("/v2/pix/") ? paid.get(id) : undefined;
    return pix ? [200, pix] : [404, { status: 404, title: "NaoEncontrado" }];
  }

  async function pay(txid: string): Promise<string> {
    payments += 1;
    const endToEndId = `E99999999202611210000${String(payments).padStart(11, "0")}`;
    const pagador = { cpf: "12345678909", nome: "Maria Teste" };
    const pix = { endToEndId, txid, valor: "100.00", chave: PSP_KEY, horario: new Date().toISOString(), pagador };
    paid.set(endToEndId, pix);
    const at = process.hrtime.bigint();
    const headers = { "content-type": "application/json" };
    const answer = await send(`${webhook}/pix`, {
      method: "POST",
      headers,
      body: JSON.stringify({ pix: [pix] }),
      dispatcher: agent,
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`a notification was answered with ${answer.statusCode}`);
    return String(at);
  }

  process.on("message", async ({ txids }: { txids: string[] }) => {
    const sent: Record<string, string> = {};
    const waiting = [...txids].reverse();
    const one = async () => {
      for (let txid = waiting.pop(); txid !== undefined; txid = waiting.pop()) sent[txid] = await pay(txid);
    };
    await Promise.all(Array.from({ length: NOTIFYING }, one));
    process.send!({ sent });
  });
  process.on("disconnect", () => process.exit());
  server.listen(0, "127.0.0.1", () => process.send!({ port: (server.address() as AddressInfo).port }));
}

function write(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

if (import.meta.main) runPsp(Number(process.argv[2]));
