// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Validates chains with Go's crypto/x509, for a TLS server. The lines have the format of lines.h.
package main

import (
	"bufio"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var quoted = regexp.MustCompile(`"[^"]*"`)

// reason omits the parts that differ between chains.
func reason(err error) string {
	var invalid x509.CertificateInvalidError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var critical x509.UnhandledCriticalExtension
	switch {
	case errors.As(err, &invalid):
		names := map[x509.InvalidReason]string{
			x509.NotAuthorizedToSign: "not authorized to sign", x509.Expired: "expired",
			x509.CANotAuthorizedForThisName: "CA not authorized for this name", x509.TooManyIntermediates: "too many intermediates",
			x509.IncompatibleUsage: "incompatible usage", x509.NameMismatch: "name mismatch",
			x509.UnconstrainedName: "unconstrained name", x509.TooManyConstraints: "too many constraints",
			x509.CANotAuthorizedForExtKeyUsage: "CA not authorized for EKU", x509.NameConstraintsWithoutSANs: "constraints without SANs",
		}
		return names[invalid.Reason]
	case errors.As(err, &authority):
		return "unknown authority"
	case errors.As(err, &host):
		return "host mismatch"
	case errors.As(err, &critical):
		return "unhandled critical extension"
	}
	return "error: " + quoted.ReplaceAllString(err.Error(), "X")
}

func parsed(text string) (*x509.Certificate, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(data)
}

func pool(text string) *x509.CertPool {
	pool := x509.NewCertPool()
	for _, one := range strings.Split(text, ",") {
		if certificate, err := parsed(one); err == nil {
			pool.AddCert(certificate)
		}
	}
	return pool
}

func judge(fields []string) string {
	leaf, err := parsed(fields[3])
	if err != nil {
		return "unreadable: " + quoted.ReplaceAllString(err.Error(), "X")
	}
	seconds, _ := strconv.ParseInt(fields[1], 10, 64)
	host := fields[2]
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	_, err = leaf.Verify(x509.VerifyOptions{
		DNSName: host, Intermediates: pool(fields[4]), Roots: pool(fields[5]), CurrentTime: time.Unix(seconds, 0),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	if err != nil {
		return reason(err)
	}
	return "ok"
}

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := input.ReadString('\n')
		if err != nil {
			return
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		fmt.Printf("%s\t%s\n", fields[0], judge(fields))
	}
}
