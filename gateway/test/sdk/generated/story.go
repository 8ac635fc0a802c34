// A charge, its payment, and the transaction read again: with the client that a generator made of openapi/merchant.json.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"pixgate-story/pixgate"
)

func main() {
	ctx := context.Background()
	url := os.Getenv("PIXGATE_URL")
	anonymous, err := pixgate.NewClientWithResponses(url)
	check(err)
	token, err := anonymous.AuthCreateTokenWithResponse(ctx, pixgate.Credentials{
		ClientId:     os.Getenv("PIXGATE_CLIENT_ID"),
		ClientSecret: os.Getenv("PIXGATE_CLIENT_SECRET"),
	})
	check(err)
	bearer := pixgate.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token.JSON200.AccessToken)
		return nil
	})
	client, err := pixgate.NewClientWithResponses(url, bearer)
	check(err)

	refused, err := client.ChargesCreateWithResponse(ctx, nil, pixgate.ChargeRequest{Amount: 0.001, Description: "Too little"})
	check(err)
	if refused.JSON400 == nil || refused.JSON400.Details.Code != "VALIDATION_ERROR" {
		log.Fatal(string(refused.Body))
	}

	key := "generated-go-1042-1042"
	charge, err := client.ChargesCreateWithResponse(ctx, &pixgate.ChargesCreateParams{IdempotencyKey: &key},
		pixgate.ChargeRequest{Amount: 25.9, Description: "Order 1042"})
	check(err)
	if charge.JSON201 == nil {
		log.Fatal(string(charge.Body))
	}
	paid, err := client.SandboxPayWithResponse(ctx, charge.JSON201.Id, nil, pixgate.SandboxPayment{})
	check(err)
	if paid.JSON200 == nil {
		log.Fatal(string(paid.Body))
	}
	read, err := client.TransactionsGetWithResponse(ctx, charge.JSON201.Id.String(), nil)
	check(err)
	if read.JSON200 == nil {
		log.Fatal(string(read.Body))
	}
	fmt.Println(read.JSON200.Id, read.JSON200.Status, read.JSON200.Amount)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
