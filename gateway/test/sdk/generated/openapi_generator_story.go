// A charge, its payment, and the transaction read again: with the client that openapi-generator made of openapi/merchant.json.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	pixgate "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	settings := pixgate.NewConfiguration()
	settings.Servers = pixgate.ServerConfigurations{{URL: os.Getenv("PIXGATE_URL")}}
	client := pixgate.NewAPIClient(settings)
	credentials := pixgate.NewCredentials(os.Getenv("PIXGATE_CLIENT_ID"), os.Getenv("PIXGATE_CLIENT_SECRET"))
	token, _, err := client.AuthenticationAPI.AuthCreateToken(context.Background()).Credentials(*credentials).Execute()
	check(err)
	ctx := context.WithValue(context.Background(), pixgate.ContextAccessToken, token.AccessToken)
	charge, _, err := client.ChargesAPI.ChargesCreate(ctx).ChargeRequest(*pixgate.NewChargeRequest(25.9, "Order 1042")).Execute()
	check(err)
	_, _, err = client.SandboxAPI.SandboxPay(ctx, charge.Id).SandboxPayment(*pixgate.NewSandboxPayment()).Execute()
	check(err)
	read, _, err := client.TransactionsAPI.TransactionsGet(ctx, charge.Id).Execute()
	check(err)
	fmt.Println(read.Id, read.Status, read.Amount)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
