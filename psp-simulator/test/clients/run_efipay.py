"""Drives the simulator through `efipay`, Efí's own client. Prints what each of its methods answered, as JSON."""
import json
import sys
import uuid

import requests
from efipay import EfiPay
from efipay.constants import Constants

given = json.loads(sys.argv[1])
# The bank's host is all that is exchanged.
Constants.APIS["PIX"]["URL"]["sandbox"] = given["url"]
efi = EfiPay({
    "client_id": given["clientId"],
    "client_secret": given["clientSecret"],
    "sandbox": True,
    # It only looks whether the file is there: this is no TLS.
    "certificate": __file__,
})
answers = {}


def call(method, **how):
    answers[method] = getattr(efi, method)(**how)
    return answers[method]


def pay(txid):
    paid = requests.post(
        f"{given['url']}/control/charges/{txid}/pay", json={}, headers={"authorization": f"Bearer {given['controlToken']}"}
    )
    paid.raise_for_status()
    return paid.json()["e2eId"]


key = given["pixKey"]
window = {"inicio": "2020-01-01T00:00:00Z", "fim": "2099-01-01T00:00:00Z"}
body = {"calendario": {"expiracao": 900}, "valor": {"original": "25.90"}, "chave": key}
due = {
    "calendario": {"dataDeVencimento": "2099-12-10", "validadeAposVencimento": 30},
    "devedor": {"cpf": "52998224725", "nome": "Maria Teste"},
    "valor": {"original": "100.00", "multa": {"modalidade": 2, "valorPerc": "3.00"}},
    "chave": key,
}
txid, txidv = uuid.uuid4().hex, uuid.uuid4().hex

loc = call("pix_create_location", body={"tipoCob": "cob"})
call("pix_detail_location", params={"id": loc["id"]})
call("pix_location_list", params=window)
call("pix_create_charge", params={"txid": txid}, body={**body, "loc": {"id": loc["id"]}})
call("pix_generate_qrcode", params={"id": loc["id"]})
call("pix_create_immediate_charge", body=body)
call("pix_update_charge", params={"txid": txid}, body={"valor": {"original": "30.00"}})
call("pix_list_charges", params=window)
e2e_id = pay(txid)
call("pix_detail_charge", params={"txid": txid})
call("pix_detail_received", params={"e2eId": e2e_id})
call("pix_received_list", params=window)
call("pix_devolution", params={"e2eId": e2e_id, "id": "r1"}, body={"valor": "10.00"})
call("pix_detail_devolution", params={"e2eId": e2e_id, "id": "r1"})
call("pix_create_due_charge", params={"txid": txidv}, body=due)
call("pix_update_due_charge", params={"txid": txidv}, body={"solicitacaoPagador": "Fatura"})
call("pix_detail_due_charge", params={"txid": txidv})
call("pix_list_due_charges", params=window)
call("pix_config_webhook", params={"chave": key}, body={"webhookUrl": given["webhookUrl"]})
call("pix_detail_webhook", params={"chave": key})
call("pix_list_webhook", params=window)
call("pix_delete_webhook", params={"chave": key})
call("get_account_balance")
call(
    "pix_send",
    params={"idEnvio": "envio1"},
    body={"valor": "5.00", "pagador": {"chave": key}, "favorecido": {"chave": "maria@example.com"}},
)
call("pix_send_detail_id", params={"idEnvio": "envio1"})
call("pix_send_list", params=window)
call("med_list", params=window)
print(json.dumps({"txid": txid, "txidv": txidv, "e2eId": e2e_id, "answers": answers}))
