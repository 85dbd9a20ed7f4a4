package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

type claims struct {
	Email      string `json:"email"`
	Name       string `json:"name,omitempty"`
	ExternalID string `json:"external_id,omitempty"`
	IssuedAt   int64  `json:"iat"`
	ExpiresAt  int64  `json:"exp"`
}

func mint(email, name, externalID string) (string, error) {
	secret := strings.TrimSpace(strings.Split(os.Getenv("PORCHLIGHT_SSO_SECRET"), ",")[0])
	if secret == "" {
		return "", errors.New("PORCHLIGHT_SSO_SECRET is not set")
	}
	now := time.Now().Unix()
	body, err := json.Marshal(claims{email, name, externalID, now, now + 600})
	if err != nil {
		return "", err
	}
	part := base64.RawURLEncoding.EncodeToString
	signed := part([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + part(body)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signed))
	return signed + "." + part(mac.Sum(nil)), nil
}

func main() {
	args := append(os.Args[1:], "", "", "")
	token, err := mint(args[0], args[1], args[2])
	if err != nil {
		panic(err)
	}
	fmt.Println(token)
}
