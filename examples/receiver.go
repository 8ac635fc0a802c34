// WEBHOOK_SECRET=whsec_… PORT=3000 go run examples/receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func genuine(key []byte, header http.Header, body []byte) bool {
	seconds, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", header.Get("webhook-id"), seconds, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	known := false
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		known = hmac.Equal([]byte(expected), []byte(given)) || known
	}
	return known
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil || !genuine(key, request.Header, body) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		response.WriteHeader(http.StatusNoContent) // answer at once, work afterwards
		var event struct{ Event, EventID string }
		if json.Unmarshal(body, &event) == nil { // drop an eventId that you have seen
			fmt.Println(event.Event, event.EventID)
		}
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
