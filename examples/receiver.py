# WEBHOOK_SECRET=whsec_… PORT=3000 python3 examples/receiver.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))


def genuine(headers, body):
    seconds = headers.get("webhook-timestamp", "")
    signed = f"{headers.get('webhook-id')}.{seconds}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split()
    recent = seconds.isdigit() and abs(time.time() - int(seconds)) <= 300
    return recent and any([hmac.compare_digest(expected.encode(), one.encode()) for one in given])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        known = genuine(self.headers, body)
        self.send_response(204 if known else 401)  # answer at once, work afterwards
        self.end_headers()
        if known:
            event = json.loads(body)  # drop an eventId that you have seen
            print(event["event"], event["eventId"], flush=True)


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()
