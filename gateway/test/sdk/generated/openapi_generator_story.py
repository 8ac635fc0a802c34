"""Charges, is paid and reads, with the client that openapi-generator made of the merchants' document."""

import os

from openapi_client import (
    ApiClient,
    AuthenticationApi,
    ChargeRequest,
    ChargesApi,
    Configuration,
    Credentials,
    SandboxApi,
    SandboxPayment,
    TransactionsApi,
)

configuration = Configuration(host=os.environ["PIXGATE_URL"])
client = ApiClient(configuration)
credentials = Credentials(
    client_id=os.environ["PIXGATE_CLIENT_ID"], client_secret=os.environ["PIXGATE_CLIENT_SECRET"]
)
configuration.access_token = AuthenticationApi(client).auth_create_token(credentials).access_token
charge = ChargesApi(client).charges_create(ChargeRequest(amount=25.9, description="Order 1042"))
SandboxApi(client).sandbox_pay(charge.id, sandbox_payment=SandboxPayment())
paid = TransactionsApi(client).transactions_get(str(charge.id))
print(paid.id, paid.status, paid.amount)
