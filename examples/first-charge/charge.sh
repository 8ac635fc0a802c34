#!/usr/bin/env bash
# bash examples/first-charge/charge.sh: needs curl, and Node to read JSON.
set -euo pipefail
API=$PIXGATE_URL/v2
ORDER=${ORDER:-order-$(date +%s)}
json() { node -p "JSON.parse(fs.readFileSync(0))$1"; }

TOKEN=$(curl -sS --fail-with-body "$API/auth" -H 'content-type: application/json' \
  -d '{"client_id":"'"$PIXGATE_CLIENT_ID"'","client_secret":"'"$PIXGATE_CLIENT_SECRET"'"}' | json .access_token)
call() { curl -sS --fail-with-body -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' "$@"; }

# The key is the order's: whoever repeats this call gets the same charge.
CHARGE=$(call "$API/pix" -H "idempotency-key: charge-$ORDER" \
  -d '{"amount":25.90,"description":"Two coffees","externalReference":"'"$ORDER"'"}')
echo "$CHARGE" | json .pixCopyPaste
ID=$(echo "$CHARGE" | json .id)

call -X POST "$API/sandbox/pix/$ID/pay" > /dev/null # in production your customer pays

STATUS=pending
for _ in $(seq 60); do
  PAYMENT=$(call "$API/transactions/$ID")
  STATUS=$(echo "$PAYMENT" | json .status)
  [ "$STATUS" = pending ] || break
  sleep 1
done
echo "$STATUS $(echo "$PAYMENT" | json .amount)"
