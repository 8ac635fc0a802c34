/** The reference's examples tell one story, in answers and in events. A test validates them against their schemas. */

const CHARGE = "0199f0c4-7b0a-7c3e-9d51-2f6a8b1c4d5e";
const REFUND = "0199f0d2-11aa-7f40-8c22-77d1e0a9b3c4";
const RETURN = "0199f0d8-3c4b-7e5d-9a61-8f7e6d5c4b3a";
const WITHDRAWAL = "0199f0e1-5c2d-7a11-b6f3-0e4d5c6b7a89";
const BLOCK = "0199f0f3-9e8d-7b6c-a5f4-1d2c3b4a5968";
const PROJECT = "0199f0a0-0b1c-7d2e-8f3a-4b5c6d7e8f90";
const CUSTOMER = "6f1d2c3b-4a59-8687-9a0b-c1d2e3f4a5b6";
const E2E = "E12345678202511211402fevE6nE84Ab";
const CODE =
  "00020101021226730014BR.GOV.BCB.PIX2551qr.bank.example/v2/ae1a876f90024a53bf7b3d65ff9201af5204000053039865802BR5910LOJA MARIA6009SAO PAULO62070503***63044EEB";
/** The charge's QR picture. A constant, since another zlib would make other bytes. */
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAPQAAAD0AQAAAACEVDZTAAAC1klEQVRIDe2XS2okAQxDTS7g+99SN1B4ciWrJLsWBLoIPZkeGJetj+Xx38/H/P28//1/z2fsmVlrVhp+Rlp772u/Gt+hlNfa5YO/eEee+7pSf3Z3PGNLqctv3tl1rb7BwErz42UczfpD6wPoyxxApFff3mXwK2gnT1AILRrzh/8/PJFFo/6NG8prGbsk+HhPQ38Ab1uDCHaF/kIFV/gfxwF1eOAJAb4toNH/NW5a1+BBgwfyCpX+AT6wh/0ZhAABN2jwbxb8kX98j5fBDc4ICvOXZKYd+8kCOumzDhr9M2wBflzfNH5bEQ0W+rce7WP66Z+dnKlU6jN5vIeKkynsCPev9Y/SEjpQIO+hKLDE/6QO1g/+t/raw5dFCviz8ygPBOgeFzI/Jf4PaI8UHo7YwiwB1fwPvDMDk4KeRBpTqPAfzjGARN5Hd+TBFv9xnoCe/OPL4eiQp8E/YXg7eYc57fMV8bdRH+OHbbf/2QQ5R4iglfqTXX+J6/bQkwdr/hPmcX3Q894gzn4q82fhsXcYe9Y+5Lv426hPziF3YXrxopxB3IMd/C98oXidFDOD2GGFfzm2UEDOz/sl66jFP1ZfXoKCwn/5E1es9I/lBms5weurdg3/JL7EfhI4e3hAI2No+K9x31wdnAH4LlGkeH/E72gcC6Z9FEkoreCP514AWnZuTkBukhr+FML9uD+JYUQgnlL/46S+8z6cV0YJ5NDO/KEbjM/Gz/4XHEACFf+fuzugHSHMzINFWPMfbh1aRngMnQ8w6fRPzE/+jwA5AhMBQ8jK/GEb3WI+8I4bgDhY6v+kto/6gnp2T0v/6XlXMZ+kkLgRWaDC/3Quwg/05wXCARjYqQ/94R53GEbACYIllPDH6rkAgre4RO8ghRcN/lM/N0CYjwkAvZBBpz5mo1xAQBDbR/xs40b/YM71dZbLMQoRdRuxkH+C828fr67//v8R+u/Pq+fzCQuXxADC3Aj6AAAAAElFTkSuQmCC";
const [MADE, PAID, LATER] = ["2025-11-21T14:02:10.512Z", "2025-11-21T14:02:31.000Z", "2025-11-21T15:40:05.120Z"];

const mine = { externalReference: "order-1042", metadata: { cart: 7 } };
const payer = { counterpartName: "Maria Silva", counterpartDocument: "12345678909" };
const money = (amount: number) => ({ amount, amountFormatted: amount / 100 });
const noLimit = { limit: null, used: 0, remaining: null, resetsAt: null };
const project = {
  id: PROJECT,
  name: "Shop",
  color: "#1e90ff",
  description: "Online orders",
  logoUrl: "https://example.com/logo.png",
  createdAt: MADE,
};
const subAccount = { id: PROJECT, reference: "loja-a", name: "Loja A", status: "approved", createdAt: MADE };
const block = {
  id: BLOCK,
  amount: 25.9,
  status: "awaiting_response",
  blockType: "med",
  createdAt: LATER,
  transactionId: CHARGE,
  referenceNumber: "MED-2025-000123",
  reason: "Fraud reported by the payer's bank",
  externalReference: mine.externalReference,
  e2eId: E2E,
};

/** Values that the samples of events (webhooks/events/define.ts) share with the answers. */
export const STORY = {
  ids: { charge: CHARGE, refund: REFUND, return: RETURN, withdrawal: WITHDRAWAL, block: BLOCK },
  /** When the payment was made. */
  paidAt: PAID,
  /** BRL. */
  amount: 25.9,
  e2eId: E2E,
  returnE2eId: "D12345678202511211540fevE6nE84Ab",
  order: mine,
  person: payer,
  company: { counterpartName: "Empresa Ltda", counterpartDocument: "11222333000181" },
} as const;

/** Example answers of the service interface, by operation. */
export const ANSWER_EXAMPLES: Readonly<Record<string, unknown>> = {
  "auth.createToken": {
    access_token: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl",
    token_type: "Bearer",
    expires_in: 300,
  },
  "charges.create": {
    id: CHARGE,
    status: "pending",
    amount: 25.9,
    currency: "BRL",
    pixCopyPaste: CODE,
    qrCodeBase64: PICTURE,
    checkoutUrl: "https://pix.example.com/pay/1c7x2v9k4m0q8z3b5n6h1j2d4f7-oJ5bP3kq0VhZ7xYt2sLw8A",
    txid: "1c7x2v9k4m0q8z3b5n6h1j2d4f7",
    pspPaymentId: "ae1a876f90024a53bf7b3d65ff9201af",
    expiresAt: "2025-11-22T14:02:10.512Z",
    externalReference: mine.externalReference,
    createdAt: MADE,
  },
  "transactions.get": {
    id: CHARGE,
    status: "completed",
    type: "payment",
    direction: "in",
    paymentMethod: "pix",
    amount: 25.9,
    currency: "BRL",
    createdAt: MADE,
    description: "Order 1042",
    ...mine,
    customerId: CUSTOMER,
    projectId: PROJECT,
    paidAt: PAID,
    e2eId: E2E,
    ...payer,
    blockedDeposit: null,
    updatedAt: PAID,
  },
  "withdrawals.create": {
    id: WITHDRAWAL,
    amount: 101,
    feeAmount: 1,
    netAmount: 100,
    currency: "BRL",
    status: "pending",
    snapshotPixKey: "maria@example.com",
    snapshotPixKeyType: "email",
    snapshotHolderName: "Maria Silva",
    snapshotHolderDocument: "12345678909",
    externalReference: "payout-7",
    failureReason: null,
    pspReference: null,
    createdAt: MADE,
  },
  "refunds.create": {
    originalTransactionId: CHARGE,
    refundTransactionId: REFUND,
    pspProvider: "api-pix",
    pspRefundTransactionId: "1a0l3k9d8f7g6h5j4k3l2m1n0p9",
    status: "PENDING",
    amount: 25.9,
    feeAmount: 0.25,
    currency: "BRL",
    createdAt: LATER,
    reason: "Out of stock",
  },
  "account.get": {
    account: {
      id: PROJECT,
      status: "approved",
      environment: "production",
      company: { legalName: "Loja Maria Ltda", document: "11222333000181" },
    },
    balance: {
      available: money(2540),
      promotional: money(0),
      held: money(10100),
      total: money(12640),
      currency: "BRL",
      updatedAt: PAID,
      lastLine: 12,
    },
    fees: {
      charge: { fixed: 0.5, percent: 1.5, max: 10 },
      withdrawal: { fixed: 1, percent: 0 },
      refund: { fixed: 0, percent: 0 },
    },
    limits: {
      perWithdrawal: noLimit,
      perDay: { limit: 5000, used: 150, remaining: 4850, resetsAt: "2026-11-22T03:00:00.000Z" },
      perNight: noLimit,
      perHourCount: noLimit,
      perHourSum: noLimit,
    },
    policies: {
      blockCnpjPayers: false,
      unknownPayers: "credit",
      latePayments: "credit",
      institutionChoice: false,
      approvalAbove: null,
      newKeyWaitMinutes: null,
      newKeyMaxAmount: null,
    },
  },
  "projects.create": project,
  "projects.list": { items: [project], total: 1, page: 1, limit: 20, totalPages: 1 },
  "subAccounts.create": subAccount,
  "subAccounts.list": { data: [subAccount] },
  "balanceBlocks.list": { items: [block], total: 1 },
};
