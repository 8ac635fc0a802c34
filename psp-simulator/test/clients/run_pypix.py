"""Drives the simulator through `pypix-api` as each of its banks. Prints what each of its methods answered, as JSON."""
import json
import sys
import uuid

import requests
from pypix_api.auth.oauth2 import OAuth2Client
from pypix_api.banks.bb import BBPixAPI
from pypix_api.banks.inter import InterPixAPI
from pypix_api.banks.sicoob import SicoobPixAPI

given = json.loads(sys.argv[1])
key = given["pixKey"]
START, END = "2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"


def drive(bank):
    # The bank's host is all that is exchanged; without a certificate its client asks for none.
    bank.BASE_URL = f"{given['url']}/v2"
    oauth = OAuth2Client(
        f"{given['url']}/oauth/token", given["clientId"], sandbox_mode=True, client_secret=given["clientSecret"]
    )
    api = bank(oauth, scopes=given["scope"])
    answers = {}

    def call(method, *what, **how):
        answers[method] = getattr(api, method)(*what, **how)
        return answers[method]

    txid, txidv = uuid.uuid4().hex, uuid.uuid4().hex
    body = {"calendario": {"expiracao": 900}, "valor": {"original": "25.90"}, "chave": key}
    due = {
        "calendario": {"dataDeVencimento": "2099-12-10", "validadeAposVencimento": 30},
        "devedor": {"cpf": "52998224725", "nome": "Maria Teste"},
        "valor": {"original": "100.00"},
        "chave": key,
    }
    call("criar_cob", txid, body)
    call("criar_cob_auto_txid", body)
    call("revisar_cob", txid, {"valor": {"original": "30.00"}})
    call("consultar_cobs", START, END)
    paid = requests.post(
        f"{given['url']}/control/charges/{txid}/pay", json={}, headers={"authorization": f"Bearer {given['controlToken']}"}
    )
    paid.raise_for_status()
    e2e_id = paid.json()["e2eId"]
    call("consultar_cob", txid)
    call("consultar_pix", START, END)
    call("consultar_pix_por_e2eid", e2e_id)
    call("solicitar_devolucao_pix", e2e_id, "r1", {"valor": "10.00"})
    call("consultar_devolucao_pix", e2e_id, "r1")
    call("criar_cobv", txidv, due)
    call("revisar_cobv", txidv, {"solicitacaoPagador": "Fatura"})
    call("consultar_cobv", txidv)
    call("listar_cobv", START, END)
    call("criar_location", "cob")
    call("configurar_webhook", key, given["webhookUrl"])
    call("consultar_webhook", key)
    call("excluir_webhook", key)
    return {"txid": txid, "txidv": txidv, "e2eId": e2e_id, "answers": answers}


print(json.dumps({bank.__name__: drive(bank) for bank in (BBPixAPI, InterPixAPI, SicoobPixAPI)}))
