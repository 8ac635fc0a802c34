// WEBHOOK_SECRET=whsec_… PORT=3000 node examples/receiver.mjs
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { verify } from "./verify.mjs";

const server = createServer(async (request, response) => {
  try {
    const event = verify(process.env.WEBHOOK_SECRET, request.headers, await buffer(request));
    response.writeHead(204).end(); // answer at once, work afterwards; drop an eventId that you have seen
    console.log(event.event, event.eventId);
  } catch {
    response.writeHead(401).end();
  }
});
server.listen(process.env.PORT ?? 3000, "127.0.0.1");
