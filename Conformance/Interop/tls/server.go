// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Serves a page with Go's crypto/tls, and prints the keying material of each connection.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	port := flag.Int("port", 0, "the port on 127.0.0.1")
	certificate := flag.String("certificate", "", "the certificate in PEM")
	key := flag.String("key", "", "the key in PEM")
	staple := flag.String("staple", "", "the OCSP response")
	timestamp := flag.String("timestamp", "", "a signed certificate timestamp, sent as it is")
	anchors := flag.String("anchors", "", "the issuers of the required client certificates")
	version := flag.Int("version", tls.VersionTLS13, "the only version")
	noTickets := flag.Bool("no-tickets", false, "accept no resumption")
	flag.Parse()

	pair, err := tls.LoadX509KeyPair(*certificate, *key)
	check(err)
	if *staple != "" {
		pair.OCSPStaple, err = os.ReadFile(*staple)
		check(err)
	}
	if *timestamp != "" {
		pair.SignedCertificateTimestamps = [][]byte{[]byte(*timestamp)}
	}
	configuration := &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: uint16(*version), MaxVersion: uint16(*version),
		SessionTicketsDisabled: *noTickets, NextProtos: []string{"http/1.1"},
	}
	if *anchors != "" {
		pem, err := os.ReadFile(*anchors)
		check(err)
		configuration.ClientCAs = x509.NewCertPool()
		configuration.ClientCAs.AppendCertsFromPEM(pem)
		configuration.ClientAuth = tls.RequireAndVerifyClientCert
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	check(err)
	log.Fatal(http.Serve(tls.NewListener(listener, configuration), http.HandlerFunc(serve)))
}

func serve(response http.ResponseWriter, request *http.Request) {
	secret, err := request.TLS.ExportKeyingMaterial("EXPORTER-interop", nil, 20)
	check(err)
	fmt.Printf("Keying material: %x\n", secret)
	fmt.Fprintln(response, "served by Go")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
