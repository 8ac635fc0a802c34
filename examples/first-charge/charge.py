# python3 examples/first-charge/charge.py: needs the standard library alone.
import json
import os
import time
import urllib.error
import urllib.request
from decimal import Decimal

API = os.environ["PIXGATE_URL"] + "/v2"
ORDER = os.environ.get("ORDER", f"order-{time.time_ns()}")


def call(method, path, body=None, token=None, key=None):
    headers = {"content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    if key:
        headers["idempotency-key"] = key
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer, parse_float=Decimal)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}")


credential = {"client_id": os.environ["PIXGATE_CLIENT_ID"], "client_secret": os.environ["PIXGATE_CLIENT_SECRET"]}
token = call("POST", "/auth", credential)["access_token"]

# The key is the order's: whoever repeats this call gets the same charge.
order = {"amount": 25.90, "description": "Two coffees", "externalReference": ORDER}
charge = call("POST", "/pix", order, token=token, key=f"charge-{ORDER}")
print(charge["pixCopyPaste"])

call("POST", f"/sandbox/pix/{charge['id']}/pay", token=token)  # in production your customer pays

for second in range(60):
    payment = call("GET", f"/transactions/{charge['id']}", token=token)
    if payment["status"] != "pending":
        break
    time.sleep(1)
print(payment["status"], payment["amount"])
