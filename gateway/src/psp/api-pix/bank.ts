import type { Bank } from "../bank.ts";
import { ANY_API_PIX_FORM } from "../form.ts";
import { accountNames } from "./account.ts";
import { createApiPix } from "./api-pix.ts";
import { capabilitiesOf } from "./capabilities.ts";
import type { ApiPixSettings } from "./config.ts";
import { namedBanks } from "./profiles.ts";
import { ApiPixSchema, adapterSettings, DESTINATIONS } from "./settings.ts";

/** Efí's sandbox pays every charge up to R$ 10.00 by itself, so the trial charge is higher. */
export const TRIAL_AMOUNT = 1_100;

export const bank: Bank<"api-pix"> = {
  id: "api-pix",
  name: "API Pix",
  summary: "any bank with the Central Bank's API Pix: charges, received Pix, returns",
  summaryPt:
    "qualquer banco com a API Pix do Banco Central (Sicoob, Sicredi, Itaú, Bradesco): cobranças, Pix recebidos, devoluções; no Inter também saques e saldo, pela API dele",
  profiles: namedBanks,
  settings: ApiPixSchema,
  form: ANY_API_PIX_FORM,
  notified: {
    en: "Testing the connection registers this address at the bank, for the Pix key (PUT /webhook). Where the bank takes it only by its portal or your manager, ask for: notifications of Pix received by the key, at this address; the bank appends /pix.",
    pt: "Testar a conexão registra este endereço no banco, para a chave Pix (PUT /webhook). Se o banco só cadastra pelo portal ou pelo gerente, peça: avisos de Pix recebidos da chave, neste endereço; o banco acrescenta /pix no fim.",
  },
  destinations: DESTINATIONS,
  account: accountNames,
  simulated: false,
  trialAmount: TRIAL_AMOUNT,
  capabilities: (settings) => capabilitiesOf(settings as Pick<ApiPixSettings, "profile" | "scope">),
  create: (settings, deps) => createApiPix(adapterSettings(settings), deps),
};
