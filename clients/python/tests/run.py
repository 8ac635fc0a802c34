"""What a shop does, against a gateway with its simulator, whose sandbox.json has `PIXGATE_URL`, `PIXGATE_CLIENT_ID` and
`PIXGATE_CLIENT_SECRET`."""

import base64
import hashlib
import hmac
import json
import os
import secrets
import threading
import time
import unittest
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pixgate
from pixgate import Pixgate, verify_return, verify_webhook

URL = os.environ["PIXGATE_URL"]
CREDENTIAL = (os.environ["PIXGATE_CLIENT_ID"], os.environ["PIXGATE_CLIENT_SECRET"])
client = Pixgate(URL, *CREDENTIAL)
SHOP = {"amount": Decimal("25.90"), "description": "Pedido 1042 – café"}
RECEIVER = {
    "pixKey": "maria@example.com",
    "pixKeyType": "email",
    "holderName": "Maria Silva",
    "holderDocument": "52998224725",
    "holderDocumentType": "cpf",
}


class Server(ThreadingHTTPServer):
    """Answers each request by a function, and keeps what came."""

    daemon_threads = True

    def __init__(self, answer):
        self.requests = []
        self.peers = []
        self.slow = False
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.requests.append(self.headers)
        self.server.peers.append(self.client_address)
        status, headers, content = self.server.answer(len(self.server.requests), body, self.headers)
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        for byte in (content[at : at + 1] for at in range(len(content))) if self.server.slow else (content,):
            self.wfile.write(byte)
            if self.server.slow:
                time.sleep(0.2)

    do_GET = do_POST = do_PATCH = handle_any

    def log_message(self, *_):
        pass


class Shop(unittest.TestCase):
    def test_a_charge_is_paid_and_read(self):
        charge = client.charges.create(SHOP)
        self.assertEqual((charge["status"], charge["amount"]), ("pending", Decimal("25.9")))
        client.sandbox.pay(charge["id"])
        paid = client.transactions.wait(charge["id"], within=30)
        self.assertEqual((paid["status"], paid["amount"]), ("completed", Decimal("25.9")))
        self.assertEqual(paid["description"], SHOP["description"])

    def test_amounts_add_exactly(self):
        quote = client.charges.quote({"amount": Decimal("0.30") + Decimal("10")})
        self.assertEqual(quote["netAmount"] + quote["feeAmount"], Decimal("10.30"))

    def test_the_same_key_twice_is_one_charge_and_with_another_body_an_error(self):
        key = f"python-{secrets.token_hex(8)}"
        first = client.charges.create(SHOP, idempotency_key=key)
        self.assertEqual(client.charges.create(SHOP, idempotency_key=key)["id"], first["id"])
        with self.assertRaises(pixgate.IdempotencyKeyReusedError) as caught:
            client.charges.create({**SHOP, "amount": 26}, idempotency_key=key)
        self.assertEqual((caught.exception.status, caught.exception.idempotency_key), (422, key))

    def test_a_list_is_read_over_its_pages_each_item_once(self):
        reference = f"python-list-{secrets.token_hex(4)}"
        made = [client.charges.create({**SHOP, "externalReference": f"{reference}-{i}"}) for i in range(5)]
        found = client.transactions.list({"limit": 2, "from": made[0]["createdAt"]})
        ids = [item["id"] for item in found]
        self.assertLessEqual({charge["id"] for charge in made}, set(ids))
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual((len(found.page()["items"]), len(found.to_list(3))), (2, 3))

    def test_a_refund_is_waited_for_and_a_second_one_refused(self):
        big = client.charges.create({"amount": 200, "description": "covers the fee"})
        charge = client.charges.create({"amount": 10, "description": "comes back"})
        for made in (big, charge):
            client.sandbox.pay(made["id"])
            client.transactions.wait(made["id"])
        refund = client.refunds.create(charge["id"], {"reason": "Out of stock"})
        self.assertEqual(client.refunds.wait(charge["id"])["status"], "CONFIRMED")
        with self.assertRaises(pixgate.RefundAlreadyExistsError) as caught:
            client.refunds.create(charge["id"], {"reason": "again"})
        self.assertEqual(caught.exception.refund_transaction_id, refund["refundTransactionId"])

    def test_a_withdrawal_is_paid_and_one_beyond_the_balance_moves_nothing(self):
        charge = client.charges.create({"amount": 50, "description": "covers it"})
        client.sandbox.pay(charge["id"])
        client.transactions.wait(charge["id"])
        withdrawal = client.withdrawals.create({**RECEIVER, "netAmount": Decimal("12.34")})
        sent = client.withdrawals.wait(withdrawal["id"])
        self.assertEqual((sent["status"], sent["netAmount"]), ("completed", Decimal("12.34")))
        before = client.account.get()["balance"]
        with self.assertRaises(pixgate.InsufficientBalanceError) as caught:
            client.withdrawals.create({**RECEIVER, "amount": 1_000_000})
        self.assertGreater(caught.exception.required, caught.exception.available)
        self.assertEqual(client.account.get()["balance"], before)

    def test_a_sub_account_has_its_own_wallet_and_a_part_of_a_charge(self):
        reference = f"loja-{secrets.token_hex(4)}"
        client.sub_accounts.create({"reference": reference, "name": "Loja"})
        split = [{"subAccount": reference, "amount": Decimal("80.50")}]
        charge = client.charges.create({"amount": 100, "description": "split", "split": split})
        client.sandbox.pay(charge["id"])
        client.transactions.wait(charge["id"])
        theirs = client.sub_account(reference)
        self.assertEqual(theirs.account.get()["balance"]["available"]["amountFormatted"], Decimal("80.5"))

    def test_a_delivery_is_verified_by_a_real_receiver(self):
        held = {}

        def receive(_, body, headers):
            try:
                event = verify_webhook(body, headers, held["secret"])
            except pixgate.WebhookVerificationError:
                return 401, {}, b""
            held["event"] = event
            return 204, {}, b""

        with Server(receive) as server:
            endpoint = client.webhook_endpoints.create({"url": f"{server.url}/"})
            held["secret"] = endpoint["secret"]
            delivery = client.webhook_endpoints.test(endpoint["id"], {"event": "payment_completed"})
            self.assertEqual((delivery["status"], held["event"]["event"]), ("delivered", "payment_completed"))
            held["secret"] = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
            self.assertNotEqual(client.webhook_endpoints.test(endpoint["id"], {"event": "payment_expired"})["status"], "delivered")
            client.webhook_endpoints.delete(endpoint["id"])

    def test_a_delivery_that_was_changed_is_old_or_unsigned_is_refused(self):
        key = b"0123456789abcdef0123456789abcdef"
        secret = "whsec_" + base64.b64encode(key).decode()
        body = '{"event":"payment_completed","eventId":"1"}'
        mac = base64.b64encode(hmac.new(key, f"1.1000.{body}".encode(), hashlib.sha256).digest()).decode()
        headers = {"Webhook-Id": "1", "HTTP_WEBHOOK_TIMESTAMP": "1000", "webhook-signature": f"v1,AAAA v1,{mac}"}
        event = verify_webhook(body, headers, ["whsec_AAAA", secret], now=lambda: 1299)
        self.assertEqual(event["eventId"], "1")
        for arguments, now in [
            ((f"{body} ", headers, secret), 1000),
            ((body, headers, secret), 1301),
            ((body, headers, "whsec_"), 1000),
            ((body, {}, secret), 1000),
            ((body, {**headers, "HTTP_WEBHOOK_TIMESTAMP": "1e3"}, secret), 1000),
            ((body, {**headers, "webhook-signature": "v1,é"}, secret), 1000),
        ]:
            with self.assertRaises(pixgate.WebhookVerificationError):
                verify_webhook(*arguments, now=lambda now=now: now)
        with self.assertRaises(TypeError):
            verify_webhook({"event": "parsed"}, headers, secret)

    def test_errors_say_their_code_their_fields_and_their_trace(self):
        with self.assertRaises(pixgate.ValidationError) as caught:
            client.charges.create({**SHOP, "amount": -1})
        self.assertEqual((caught.exception.code, caught.exception.issues[0]["path"]), ("VALIDATION_ERROR", "amount"))
        self.assertIsNotNone(caught.exception.trace_id)
        with self.assertRaises(pixgate.NotFoundError):
            client.transactions.get("no such")
        with self.assertRaises(pixgate.WaitTimeoutError):
            client.transactions.wait(client.charges.create(SHOP)["id"], within=0.2)

    def test_what_cannot_be_sent_is_said_at_once(self):
        for wrong in (float("nan"), Decimal("0.1234567890123456789"), object()):
            with self.assertRaises(pixgate.InvalidRequestError):
                client.charges.create({**SHOP, "amount": wrong})
        for key in ("", "1045", "order 1045", "café-1045", "x" * 256):
            with self.assertRaises(pixgate.InvalidRequestError):
                client.charges.create(SHOP, idempotency_key=key)
        with self.assertRaises(pixgate.InvalidRequestError) as caught:
            Pixgate(URL, access_token="secret-token\n").account.get()
        self.assertNotIn("secret-token", str(caught.exception))
        for address in ("pay.example.com", "https://", "http://a b"):
            with self.assertRaises(pixgate.InvalidRequestError):
                Pixgate(address, "a", "b")

    def test_threads_share_one_token_and_a_refused_one_is_replaced_once(self):
        logins = []

        def answer(_, body, headers):
            if headers.get("authorization") is None:
                logins.append(body)
                time.sleep(0.05)  # long enough that a second login would begin
                return 200, {}, b'{"access_token":"good","expires_in":60}'
            return 200, {}, b"{}"

        with Server(answer) as server:
            shared = Pixgate(server.url, "id", "secret")
            threads = [threading.Thread(target=shared.account.get) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(logins), 1)
        good = client.request("post", "/auth", body={"client_id": CREDENTIAL[0], "client_secret": CREDENTIAL[1]})
        tokens = iter(["bad", good["access_token"]])
        self.assertIn("balance", Pixgate(URL, access_token=lambda: next(tokens)).account.get())
        with self.assertRaises(pixgate.AuthenticationError):
            Pixgate(URL, access_token="bad").account.get()

    def test_an_overload_is_waited_out_with_the_same_key(self):
        def answer(count, *_):
            return (503, {"Retry-After": "0"}, b"") if count == 1 else (200, {}, b'{"id":"one"}')

        with Server(answer) as server:
            self.assertEqual(Pixgate(server.url, access_token="t").charges.create({"amount": 1})["id"], "one")
            keys = {headers["idempotency-key"] for headers in server.requests}
            self.assertEqual((len(server.requests), len(keys)), (2, 1))

    def test_what_ends_a_call_after_a_lost_answer_leaves_its_outcome_unknown_with_its_key(self):
        login = (200, {}, b'{"access_token":"t","expires_in":1}')

        def expires(count, _, headers):
            if headers.get("authorization") is None:
                return login if count == 1 else (503, {"Retry-After": "0"}, b"")
            time.sleep(0.6)  # the token is at its half, so that the next attempt needs another
            return 502, {}, b""

        def limits(_, __, headers):
            posts.append(headers)
            return (502, {}, b"") if len(posts) == 1 else (429, {"Retry-After": "0"}, b"")

        posts = []
        for answer, given in ((expires, {}), (limits, {"access_token": "t"})):
            with Server(answer) as server:
                credential = {} if given else {"client_id": "a", "client_secret": "b"}
                with self.assertRaises(pixgate.ConnectionError) as caught:
                    Pixgate(server.url, **credential, **given, max_retries=1).charges.create({"amount": 1})
                keys = {headers["idempotency-key"] for headers in server.requests if "idempotency-key" in headers}
                self.assertEqual({caught.exception.idempotency_key}, keys)
        with self.assertRaises(pixgate.ConnectionError) as caught:
            lost = Pixgate("http://127.0.0.1:9", "a", "b", max_retries=0)
            lost.charges.create({"amount": 1}, idempotency_key="payout-77")
        self.assertEqual(caught.exception.idempotency_key, "payout-77")

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
    def test_a_child_process_has_connections_of_its_own(self):
        def answer(*_):
            return 200, {}, b'{"id":"%d"}' % len(server.requests)

        with Server(answer) as server:
            shared = Pixgate(server.url, access_token="t")
            shared.account.get()
            ports = {peer for peer in server.peers}
            child = os.fork()
            if child == 0:
                shared.account.get()
                os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            shared.account.get()
            self.assertEqual(len(set(server.peers) - ports), 1)
            self.assertEqual(len(server.peers), 3)

    def test_a_change_without_a_key_is_not_repeated_and_a_redirect_not_followed(self):
        with Server(lambda *_: (500, {}, b"oops")) as server:
            with self.assertRaises(pixgate.ServerError) as caught:
                Pixgate(server.url, access_token="t").sub_accounts.update("loja", {"name": "x"})
            self.assertEqual((caught.exception.code, len(server.requests)), ("HTTP_500", 1))
        with Server(lambda *_: (302, {"Location": "http://elsewhere.example/"}, b"")) as server:
            with self.assertRaises(pixgate.ApiError) as caught:
                Pixgate(server.url, access_token="t").account.get()
            self.assertIn("elsewhere", str(caught.exception))
            self.assertEqual(len(server.requests), 1)

    def test_an_outage_leaves_the_key_and_a_silent_server_is_left(self):
        with self.assertRaises(pixgate.ConnectionError) as caught:
            Pixgate("http://127.0.0.1:9", access_token="t", max_retries=1).charges.create({"amount": 3})
        self.assertEqual((caught.exception.attempts, len(caught.exception.idempotency_key)), (2, 32))
        release = threading.Event()

        def silent(*_):
            release.wait(30)
            return 200, {}, b"{}"

        def trickle(_, __, ___):
            return 200, {}, b"{}" + b" " * 40

        with Server(trickle) as server:
            server.slow = True
            started = time.monotonic()
            with self.assertRaises(pixgate.TimeoutError):
                Pixgate(server.url, access_token="t").account.get(timeout=0.5, max_retries=0)
            self.assertLess(time.monotonic() - started, 3)

        with Server(silent) as server:
            started = time.monotonic()
            with self.assertRaises(pixgate.TimeoutError):
                Pixgate(server.url, access_token="t").account.get(timeout=0.3, max_retries=0)
            with self.assertRaises(pixgate.WaitTimeoutError):
                Pixgate(server.url, access_token="t").transactions.wait("some", within=0.5)
            self.assertLess(time.monotonic() - started, 10)
            release.set()

    def test_the_way_back_of_a_payer_is_verified_as_by_the_other_clients(self):
        path = os.path.join(os.path.dirname(__file__), "../../return-vectors.json")
        with open(path, encoding="utf-8") as file:
            vectors = json.load(file)
        for vector in vectors:
            with self.subTest(vector["name"]):
                verify = lambda: verify_return(vector["url"], vector["secrets"], now=lambda: vector["now"])
                if vector["returned"]:
                    self.assertEqual(verify(), vector["returned"])
                else:
                    self.assertRaises(pixgate.WebhookVerificationError, verify)
        self.assertRaises(TypeError, verify_return, vectors[0]["url"], [])

    def test_the_statement_is_a_file_and_a_secret_is_shown_once(self):
        self.assertGreaterEqual(client.statement.list_as("text/csv", {"limit": 2}).count(b"\n"), 1)
        self.assertIn(b"<OFX>", client.statement.list_as("application/x-ofx"))
        key = f"python-{secrets.token_hex(8)}"
        endpoint = client.webhook_endpoints.create({"url": "http://127.0.0.1:9/"}, idempotency_key=key)
        with self.assertRaises(pixgate.SecretNotShownError) as caught:
            client.webhook_endpoints.create({"url": "http://127.0.0.1:9/"}, idempotency_key=key)
        self.assertEqual(caught.exception.answer["id"], endpoint["id"])
        client.webhook_endpoints.delete(endpoint["id"])


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    raise SystemExit(1 if failed else 0)
