"""Drives the simulator through `brbank` with its profile of each bank. Prints what each of its methods answered, as JSON."""
import asyncio
import dataclasses
import json
import sys
from datetime import date
from decimal import Decimal

import httpx
from brbank.adapters.pix_bacen import PERFIS, PixBacenAdapter, PixBacenConfig
from brbank.modelos import Encargos, Endereco, Pessoa, Titulo

given = json.loads(sys.argv[1])
address = Endereco(logradouro="Rua Um", numero="1", bairro="Centro", cidade="Recife", uf="PE", cep="50000000")
payer = Pessoa(nome="Maria Teste", documento="52998224725", endereco=address)
rates = Encargos(
    multa_percentual=Decimal("2"), juros_mensal_percentual=Decimal("1"), abatimento=Decimal("5"),
    desconto_percentual=Decimal("3"), desconto_dias_antes=5,
)
HOOK = "https://shop.example/pix"


def control(path):
    asked = httpx.post(f"{given['url']}/control{path}", json={}, headers={"authorization": f"Bearer {given['controlToken']}"})
    asked.raise_for_status()
    return asked.json()


def token():
    form = {"grant_type": "client_credentials", "client_id": given["clientId"], "client_secret": given["clientSecret"]}
    asked = httpx.post(f"{given['url']}/oauth/token", data=form)
    asked.raise_for_status()
    return asked.json()["access_token"]


def shown(title):
    return {
        "txid": title.txid, "status": str(title.status), "code": title.pix_copia_cola,
        "paid": None if title.valor_pago is None else str(title.valor_pago),
    }


async def drive(name, kind):
    # The bank's hosts are all that is exchanged, and what stands only for its own sandbox.
    profile = dataclasses.replace(
        PERFIS[name], url_sandbox=f"{given['url']}/v2", url_token_sandbox=f"{given['url']}/oauth/token", mtls_sandbox=False,
        metodo_criar_sandbox=None,
    )
    api = PixBacenAdapter(PixBacenConfig(
        perfil=profile, conta=name, chave_pix=given["pixKey"], client_id=given["clientId"], client_secret=given["clientSecret"],
        ambiente="sandbox", modalidade=kind, token_estatico=token(), app_key="key",
    ))
    common = {"vencimento": date(2099, 12, 10), "pagador": payer, "dias_baixa_automatica": 30, "mensagens": ("Obrigado",)}
    if kind == "cobv":
        common["encargos"] = rates
    one = Titulo(chave_idempotencia=f"{name}{kind}1", seu_numero="1042", valor=Decimal("100.00"), **common)
    two = Titulo(chave_idempotencia=f"{name}{kind}2", seu_numero="1043", valor=Decimal("50.00"), **common)
    answers = {"made": shown(await api.registrar_titulo(one)), "again": shown(await api.registrar_titulo(one))}
    txid = answers["made"]["txid"]
    e2e_id = control(f"/charges/{txid}/pay")["e2eId"]
    answers["paid"] = shown(await api.consultar_titulo(txid))
    removed = await api.registrar_titulo(two)
    answers["removed"] = shown(await api.baixar_titulo(removed.txid))
    back = await api.devolver_pix(e2e_id, "r1", Decimal("10.00"), "Troca")
    answers["returned"] = {"id": back.id, "amount": str(back.valor), "rtrId": back.rtr_id}
    answers["return"] = (await api.consultar_devolucao(e2e_id, "r1")).id
    await api.configurar_webhook(HOOK)
    answers["webhook"] = await api.consultar_webhook()
    await api.remover_webhook()
    answers["noWebhook"] = await api.consultar_webhook()
    await api.aclose()
    return answers


async def main():
    print(json.dumps({name: {kind: await drive(name, kind) for kind in ("cob", "cobv")} for name in PERFIS}))


asyncio.run(main())
