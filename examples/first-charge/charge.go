// go run examples/first-charge/charge.go: needs the standard library alone.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

type payment struct {
	AccessToken  string `json:"access_token"`
	ID           string
	PixCopyPaste string
	Status       string
	Amount       json.Number
}

var token string
var client = &http.Client{Timeout: 30 * time.Second}

func call(method, path, key string, body any) payment {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			log.Fatal(err)
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, os.Getenv("PIXGATE_URL")+"/v2"+path, sent)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	answer, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		log.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	var read payment
	if err := json.Unmarshal(text, &read); err != nil {
		log.Fatal(err)
	}
	return read
}

func main() {
	order := os.Getenv("ORDER")
	if order == "" {
		order = "order-" + strconv.FormatInt(time.Now().UnixNano(), 10)
	}
	id, secret := os.Getenv("PIXGATE_CLIENT_ID"), os.Getenv("PIXGATE_CLIENT_SECRET")
	token = call("POST", "/auth", "", map[string]string{"client_id": id, "client_secret": secret}).AccessToken

	// The key is the order's: whoever repeats this call gets the same charge.
	charge := call("POST", "/pix", "charge-"+order, map[string]any{
		"amount": json.Number("25.90"), "description": "Two coffees", "externalReference": order,
	})
	fmt.Println(charge.PixCopyPaste)

	call("POST", "/sandbox/pix/"+charge.ID+"/pay", "", nil) // in production your customer pays

	paid := charge
	for second := 0; second < 60 && paid.Status == "pending"; second++ {
		paid = call("GET", "/transactions/"+charge.ID, "", nil)
		if paid.Status == "pending" {
			time.Sleep(time.Second)
		}
	}
	fmt.Println(paid.Status, paid.Amount)
}
