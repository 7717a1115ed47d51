// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Certificates, a revocation list, OCSP requests and OCSP responses, made with OpenSSL 3.0.19 and P-256 keys.
///
/// A root issued `good`, `bad` and a responder (`openssl ca`), revoked `bad` (`openssl ca -revoke bad.pem -crl_reason
/// keyCompromise`) and listed it (`openssl ca -gencrl`, with a number). The requests were made with `openssl ocsp
/// -reqout`, the responses with `openssl ocsp -index -rsigner -respout -rmd sha256`.
enum OpenSSLVectors {
    static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBdDCCARqgAwIBAgIUd3t927Cj6rMgyGc2/lz5WxNV4aEwCgYIKoZIzj0EAwIw
        FzEVMBMGA1UEAwwMb3BlbnNzbCByb290MCAXDTI2MTEyMTA5MjgwNFoYDzIxMDkw
        MTEwMDkyODA0WjAXMRUwEwYDVQQDDAxvcGVuc3NsIHJvb3QwWTATBgcqhkjOPQIB
        BggqhkjOPQMBBwNCAASglxxtm1V+tL67rGu29oaAheFoizTIKdnSzFtLZ1EFiNH/
        VWVziLs30baDJSUffUYBoB+L5cp2fa/3TR3xz7fOo0IwQDAPBgNVHRMBAf8EBTAD
        AQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUQeWidBBvmrMeuY8ZVFUEJYlr
        nGgwCgYIKoZIzj0EAwIDSAAwRQIgNlVBTcRXkHDAaCKVyaW6pjxL7vTRYxOhvCyz
        P3KcVkwCIQDXDSDOqMAlRPV85hu741dqMNT0Y5Jdwa4/NFPZVcc+1g==
        -----END CERTIFICATE-----
        """

    /// A good certificate with AIA, a distribution point and `tlsfeature = status_request`.
    static let good = """
        -----BEGIN CERTIFICATE-----
        MIICDDCCAbGgAwIBAgICEAAwCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwMb3BlbnNz
        bCByb290MCAXDTI2MTEyMTA5MjgwNFoYDzIxMDYwNDE2MDkyODA0WjAPMQ0wCwYD
        VQQDDARnb29kMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEQIUyQYg0tgiSPiu3
        V0MKoWw0HCVoYQg3mE5jJwaPSXIbfEzz32lXsWgTQqDKpwwd9p4IRCMioCaxVQSn
        TecnBqOB8jCB7zAJBgNVHRMEAjAAMBEGA1UdEQQKMAiCBmEudGVzdDBTBggrBgEF
        BQcBAQRHMEUwHwYIKwYBBQUHMAGGE2h0dHA6Ly9vY3NwLmEudGVzdC8wIgYIKwYB
        BQUHMAKGFmh0dHA6Ly9hLnRlc3Qvcm9vdC5jZXIwJwYDVR0fBCAwHjAcoBqgGIYW
        aHR0cDovL2EudGVzdC9yb290LmNybDARBggrBgEFBQcBGAQFMAMCAQUwHQYDVR0O
        BBYEFEUsu7a0jjQXIR+pzCbZAXXYYSHFMB8GA1UdIwQYMBaAFEHlonQQb5qzHrmP
        GVRVBCWJa5xoMAoGCCqGSM49BAMCA0kAMEYCIQCXWHE0xtsQzmtp8EB7mt+WjeUc
        WM0jiuryFRvlWLx1VAIhAJrvhi1Wth1YNqPcGsixJcnCCbHohmEb94nOwccrZtG7
        -----END CERTIFICATE-----
        """

    static let bad = """
        -----BEGIN CERTIFICATE-----
        MIICCTCCAbCgAwIBAgICEAEwCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwMb3BlbnNz
        bCByb290MCAXDTI2MTEyMTA5MjgwNFoYDzIxMDYwNDE2MDkyODA0WjAOMQwwCgYD
        VQQDDANiYWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQYcSrq0OoZpa6SsT6h
        1xnZn7iZPjiUJvALMnpOfSoBJkfSH0sPVNtpFohRd9jIA0aWmj/kgC4hyIgVL7+V
        3JxAo4HyMIHvMAkGA1UdEwQCMAAwEQYDVR0RBAowCIIGYS50ZXN0MFMGCCsGAQUF
        BwEBBEcwRTAfBggrBgEFBQcwAYYTaHR0cDovL29jc3AuYS50ZXN0LzAiBggrBgEF
        BQcwAoYWaHR0cDovL2EudGVzdC9yb290LmNlcjAnBgNVHR8EIDAeMBygGqAYhhZo
        dHRwOi8vYS50ZXN0L3Jvb3QuY3JsMBEGCCsGAQUFBwEYBAUwAwIBBTAdBgNVHQ4E
        FgQUUksTjSny1rJjyhobkl8tcZ4fppswHwYDVR0jBBgwFoAUQeWidBBvmrMeuY8Z
        VFUEJYlrnGgwCgYIKoZIzj0EAwIDRwAwRAIgSZ5xeAZVfSfRwHczFbxsHFxpmA6P
        QtnZggXfrWfsvvQCICe5o9OBEgMnT7KUHEGw8ozS2T8VeaLTLaeKsW98jPnf
        -----END CERTIFICATE-----
        """

    static let list = """
        -----BEGIN X509 CRL-----
        MIH3MIGeAgEBMAoGCCqGSM49BAMCMBcxFTATBgNVBAMMDG9wZW5zc2wgcm9vdBcN
        MjYxMTIxMDkyODA0WhgPMjA4MTA4MjQwOTI4MDRaMCMwIQICEAEXDTI2MTEyMTA5
        MjgwNFowDDAKBgNVHRUEAwoBAaAvMC0wHwYDVR0jBBgwFoAUQeWidBBvmrMeuY8Z
        VFUEJYlrnGgwCgYDVR0UBAMCAQEwCgYIKoZIzj0EAwIDSAAwRQIhAIhez7G7DMyF
        ZJ7vYzz2UF/QL9ObQckexrCxfflRapJeAiAmEGDt3YA1tziV0oXOWGoC88YS5hPH
        51A0bfd/smV8YQ==
        -----END X509 CRL-----
        """

    /// A SHA-1 request without a nonce (`-no_nonce`).
    static let goodRequest = """
        MEMwQTA/MD0wOzAJBgUrDgMCGgUABBRVJAfZrtPfT9OWFv5YMCS4vVYKfgQUQeWidBBvmrMeuY8ZVFUEJYlrnGgCAhAA
        """

    static let goodRequestWithNonce = """
        MGgwZjA/MD0wOzAJBgUrDgMCGgUABBRVJAfZrtPfT9OWFv5YMCS4vVYKfgQUQeWidBBvmrMeuY8ZVFUEJYlrnGgCAhAAoiMwITAf\
        BgkrBgEFBQcwAQIEEgQQQVwxpsjeghbnQpeB2794Tw==
        """

    /// The nonce of the previous request.
    static let nonce = "415c31a6c8de8216e7429781dbbf784f"

    /// A response by the responder, which is identified by its subject.
    static let goodResponse = """
        MIICtQoBAKCCAq4wggKqBgkrBgEFBQcwAQEEggKbMIIClzCBkKEWMBQxEjAQBgNVBAMMCXJlc3BvbmRlchgPMjAyNjExMjEwOTI4\
        MDRaMGUwYzA7MAkGBSsOAwIaBQAEFFUkB9mu099P05YW/lgwJLi9Vgp+BBRB5aJ0EG+asx65jxlUVQQliWucaAICEACAABgPMjAy\
        NjExMjEwOTI4MDRaoBEYDzIwODEwODI0MDkyODA0WjAKBggqhkjOPQQDAgNIADBFAiEAod0OnJH5o6kEtH3vUPvYjSSyIRvLp3Un\
        4cR9WQ+JEpwCIG9jZ7+GdLqsWNHeKBSLuM1Stf2cbdJG5P+1I/JelkiGoIIBqjCCAaYwggGiMIIBSKADAgECAgIQAjAKBggqhkjO\
        PQQDAjAXMRUwEwYDVQQDDAxvcGVuc3NsIHJvb3QwIBcNMjYxMTIxMDkyODA0WhgPMjEwNjA0MTYwOTI4MDRaMBQxEjAQBgNVBAMM\
        CXJlc3BvbmRlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABI7z99HdHMtFS9WzPjn7zPDfF6w6p2UKzYjS396p30vpC+PPkL7o\
        LBjL6Y5MHr88maDAIYKY2ZrUYgmU4tVejXGjgYQwgYEwCQYDVR0TBAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYB\
        BQUHAwkwDwYJKwYBBQUHMAEFBAIFADAdBgNVHQ4EFgQUX2SsN7frYlMURJMSQfNYO6TG28kwHwYDVR0jBBgwFoAUQeWidBBvmrMe\
        uY8ZVFUEJYlrnGgwCgYIKoZIzj0EAwIDSAAwRQIgV44Ho0xWexLoAjTLOwIk1OG6rSWWV1Hb0XWtBhCUuAcCIQDCBUdbupz8Mqul\
        Gdz5460TqRZum5S+p14cIQApGMICFQ==
        """

    static let badResponse = """
        MIICygoBAKCCAsMwggK/BgkrBgEFBQcwAQEEggKwMIICrDCBpqEWMBQxEjAQBgNVBAMMCXJlc3BvbmRlchgPMjAyNjExMjEwOTI4\
        MDRaMHsweTA7MAkGBSsOAwIaBQAEFFUkB9mu099P05YW/lgwJLi9Vgp+BBRB5aJ0EG+asx65jxlUVQQliWucaAICEAGhFhgPMjAy\
        NjExMjEwOTI4MDRaoAMKAQEYDzIwMjYxMTIxMDkyODA0WqARGA8yMDgxMDgyNDA5MjgwNFowCgYIKoZIzj0EAwIDRwAwRAIgK0WK\
        Ufrm2/IHWMTnfGPlVSTQIx7pspGJPohIgoV88usCIBe92rit30RD7u5dZYhho8pDKCwKypHjNMNPNp50zC27oIIBqjCCAaYwggGi\
        MIIBSKADAgECAgIQAjAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAxvcGVuc3NsIHJvb3QwIBcNMjYxMTIxMDkyODA0WhgPMjEwNjA0\
        MTYwOTI4MDRaMBQxEjAQBgNVBAMMCXJlc3BvbmRlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABI7z99HdHMtFS9WzPjn7zPDf\
        F6w6p2UKzYjS396p30vpC+PPkL7oLBjL6Y5MHr88maDAIYKY2ZrUYgmU4tVejXGjgYQwgYEwCQYDVR0TBAIwADAOBgNVHQ8BAf8E\
        BAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwkwDwYJKwYBBQUHMAEFBAIFADAdBgNVHQ4EFgQUX2SsN7frYlMURJMSQfNYO6TG28kw\
        HwYDVR0jBBgwFoAUQeWidBBvmrMeuY8ZVFUEJYlrnGgwCgYIKoZIzj0EAwIDSAAwRQIgV44Ho0xWexLoAjTLOwIk1OG6rSWWV1Hb\
        0XWtBhCUuAcCIQDCBUdbupz8MqulGdz5460TqRZum5S+p14cIQApGMICFQ==
        """

    /// A response by the root itself, which is identified by its key, without certificates.
    static let goodResponseWithNonce = """
        MIIBKwoBAKCCASQwggEgBgkrBgEFBQcwAQEEggERMIIBDTCBtaIWBBRB5aJ0EG+asx65jxlUVQQliWucaBgPMjAyNjExMjEwOTI4\
        MDRaMGUwYzA7MAkGBSsOAwIaBQAEFFUkB9mu099P05YW/lgwJLi9Vgp+BBRB5aJ0EG+asx65jxlUVQQliWucaAICEACAABgPMjAy\
        NjExMjEwOTI4MDRaoBEYDzIwODEwODI0MDkyODA0WqEjMCEwHwYJKwYBBQUHMAECBBIEEEFcMabI3oIW50KXgdu/eE8wCgYIKoZI\
        zj0EAwIDRwAwRAIgbW+JoZoHdCM1WBuO44XUT0QowMhqL8ZMVnWwiIE2nn0CIHFGadXmz2Txv5QA5DlnAKv33ZCrxzZHPgNmPZ/H\
        51/u
        """

    /// A response whose certificate identifier uses SHA-256.
    static let badResponseOfSHA256 = """
        MIIDDgoBAKCCAwcwggMDBgkrBgEFBQcwAQEEggL0MIIC8DCB6aEWMBQxEjAQBgNVBAMMCXJlc3BvbmRlchgPMjAyNjExMjEwOTI4\
        MDRaMIGYMIGVMFcwDQYJYIZIAWUDBAIBBQAEIBlAzICXa2bpLPt5HejgR85fKMUV31yWyOx8cDFGRAueBCC8fXLGJU9lXjhNr+bL\
        K1kE2YZoE6MqduXxmwN3C5/Y0AICEAGhFhgPMjAyNjExMjEwOTI4MDRaoAMKAQEYDzIwMjYxMTIxMDkyODA0WqARGA8yMDgxMDgy\
        NDA5MjgwNFqhIzAhMB8GCSsGAQUFBzABAgQSBBDCr8MrxhQHwZUJvCydDQnnMAoGCCqGSM49BAMCA0gAMEUCID0RMppqObrdXX+z\
        jKIx9a72N4h+f4AlRrv/otCRC9+MAiEA3RmTKnFa2mCJ3SsPaME5IaZ47lnMoC0pWD1yp1fNdqigggGqMIIBpjCCAaIwggFIoAMC\
        AQICAhACMAoGCCqGSM49BAMCMBcxFTATBgNVBAMMDG9wZW5zc2wgcm9vdDAgFw0yNjExMjEwOTI4MDRaGA8yMTA2MDQxNjA5Mjgw\
        NFowFDESMBAGA1UEAwwJcmVzcG9uZGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEjvP30d0cy0VL1bM+OfvM8N8XrDqnZQrN\
        iNLf3qnfS+kL48+QvugsGMvpjkwevzyZoMAhgpjZmtRiCZTi1V6NcaOBhDCBgTAJBgNVHRMEAjAAMA4GA1UdDwEB/wQEAwIHgDAT\
        BgNVHSUEDDAKBggrBgEFBQcDCTAPBgkrBgEFBQcwAQUEAgUAMB0GA1UdDgQWBBRfZKw3t+tiUxREkxJB81g7pMbbyTAfBgNVHSME\
        GDAWgBRB5aJ0EG+asx65jxlUVQQliWucaDAKBggqhkjOPQQDAgNIADBFAiBXjgejTFZ7EugCNMs7AiTU4bqtJZZXUdvRda0GEJS4\
        BwIhAMIFR1u6nPwyq6UZ3PnjrROpFm6blL6nXhwhACkYwgIV
        """
}
