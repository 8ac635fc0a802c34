"""A charge, its payment, and the transaction read again: with the client that a generator made of openapi/merchant.json."""

import os
from uuid import UUID

from pixgate_client import AuthenticatedClient, Client
from pixgate_client.api.authentication import auth_create_token
from pixgate_client.api.charges import charges_create
from pixgate_client.api.sandbox import sandbox_pay
from pixgate_client.api.transactions import transactions_get
from pixgate_client.models import AccessToken, Charge, ChargeRequest, Credentials, Error, SandboxPayment, Transaction

base_url = os.environ["PIXGATE_URL"]
credentials = Credentials(os.environ["PIXGATE_CLIENT_ID"], os.environ["PIXGATE_CLIENT_SECRET"])
token = auth_create_token.sync(client=Client(base_url=base_url), body=credentials)
assert isinstance(token, AccessToken), token
client = AuthenticatedClient(base_url=base_url, token=token.access_token)

refused = charges_create.sync(client=client, body=ChargeRequest(amount=0.001, description="Too little"))
assert isinstance(refused, Error), refused
assert refused.details.code == "VALIDATION_ERROR", refused

charge = charges_create.sync(
    client=client,
    body=ChargeRequest(amount=25.9, description="Order 1042"),
    idempotency_key="generated-python-1042",
)
assert isinstance(charge, Charge), charge
paid = sandbox_pay.sync(UUID(str(charge.id)), client=client, body=SandboxPayment())
assert isinstance(paid, Transaction), paid
read = transactions_get.sync(str(charge.id), client=client)
assert isinstance(read, Transaction), read
print(read.id, read.status, read.amount)
