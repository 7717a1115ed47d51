// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fixture {
    /// A certificate signing request: `openssl req -new`.
    static let request = """
        -----BEGIN CERTIFICATE REQUEST-----
        MIHMMHQCAQAwEjEQMA4GA1UEAwwHZml4dHVyZTBZMBMGByqGSM49AgEGCCqGSM49
        AwEHA0IABKF0HLKEaVfeI+Bm4ITXpA6+GDewuTqgOluD4yXmrYQkkU9xt0c3ApNU
        joN7ejHRU95X2TaLwR0m/PYnS3hnU0KgADAKBggqhkjOPQQDAgNIADBFAiAOgwOx
        OCy3Tlu5uO9zk7z5Z0jL/rzXzxEIIAsh5eNQbQIhAKsqS4XYeqRyCK30SOxjg/5l
        S8UML/7YwVMACZtmsMEq
        -----END CERTIFICATE REQUEST-----
        """

    /// An empty revocation list: `openssl ca -gencrl`.
    static let revocationList = """
        -----BEGIN X509 CRL-----
        MIGXMD4wCgYIKoZIzj0EAwIwEjEQMA4GA1UEAwwHZml4dHVyZRcNMjYxMTIzMDgz
        MDU2WhcNMzYxMTIwMDgzMDU2WjAKBggqhkjOPQQDAgNJADBGAiEA8UUw1YinIOqM
        Sz7m6P+11eOvqp+EfyMkIlkOybADV+ACIQC84WBDmKQF7qswLM9wykdrYzBK25ZN
        qVCbit1c3JLIUQ==
        -----END X509 CRL-----
        """

    /// Both certificates: `openssl crl2pkcs7 -nocrl`.
    static let pkcs7 = """
        -----BEGIN PKCS7-----
        MIIEvQYJKoZIhvcNAQcCoIIErjCCBKoCAQExADALBgkqhkiG9w0BBwGgggSSMIIB
        ezCCASGgAwIBAgIURvQFNOFHfK8DIhI6pIax+bsBuPgwCgYIKoZIzj0EAwIwEjEQ
        MA4GA1UEAwwHZml4dHVyZTAgFw0yNjExMjEwMjA3MzFaGA8yMTI2MTAyODAyMDcz
        MVowEjEQMA4GA1UEAwwHZml4dHVyZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
        BKF0HLKEaVfeI+Bm4ITXpA6+GDewuTqgOluD4yXmrYQkkU9xt0c3ApNUjoN7ejHR
        U95X2TaLwR0m/PYnS3hnU0KjUzBRMB0GA1UdDgQWBBS06IQJlpiXc+gIQSx+6nlq
        BpILcTAfBgNVHSMEGDAWgBS06IQJlpiXc+gIQSx+6nlqBpILcTAPBgNVHRMBAf8E
        BTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIHRgQyjaw5kxZDet8+AZ7vYtpN6pa7IW
        egWdKHJ4WHbqAiEAvB9SFwXBg2sIA2VgihY8MHhIBia5uBMvnF7SMcD9nrswggMP
        MIIB96ADAgECAhQtsrctFG4GyHExCVNgKgJVH7oLrjANBgkqhkiG9w0BAQsFADAW
        MRQwEgYDVQQDDAtmaXh0dXJlIHJzYTAgFw0yNjExMjEwMjA3MzFaGA8yMTI2MTAy
        ODAyMDczMVowFjEUMBIGA1UEAwwLZml4dHVyZSByc2EwggEiMA0GCSqGSIb3DQEB
        AQUAA4IBDwAwggEKAoIBAQCgZVfB2I52CcbcUy88Ld+NGeau62rnKetrKcQIMkvl
        JIKJPPR5iw5LABkklMCUzyxcg8N8NsBhDPAqF9o4UK+Pfje9I2jgGnXavqrW5wGK
        ImpLMFDgTPeKumO51VVGjAaLIKJVGM6UzRJ1NvnXvnuI0hZdQeCRe35HuRVQQMFt
        aBQFsdn+tmnoG43+9B815E94WD6+3w54yXb+HUnwpudN/SOgFsFJ1SfRcl5zTQ7M
        pKpB9DWBQd7EkrXMSIlcBIWVJCak4w774fgsnTnt/rGQP4wOaekPFqD1kYHJweRr
        5M7MzGmmuTdmFjV95XCXGnmm34KgY3EVU4V1XSD6iq5dAgMBAAGjUzBRMB0GA1Ud
        DgQWBBTylJuBJ8yvgydx3vGMQMfQOMkeIDAfBgNVHSMEGDAWgBTylJuBJ8yvgydx
        3vGMQMfQOMkeIDAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQAW
        TDWBZORQWj5EXXHcRbe51IFqPb1v+j6Yy16EBW6A8je+vEPWHQGpDpp5QXRmBLEn
        Q97Kp4Lpjbh8DZIhR6eWSzHRgAWDvueB1sHNkqiuRHZKx9LKi8r52H+4WkRqMydL
        M4zfw7wXPma3l6oNUR+cjneGSBBWhk+AKrmJGcmeyTKFGKAZ8nQYVH08k80BxkXJ
        1uuGswoOKzLWxBcLDq4a59ansqV+CSe9RmNYs8dURZQjgWx1wxlP5kVbeXDDsxCt
        erxTRrGnI/vMl9jb4h8zxrbKqZsETIbTBV2A8lySB2FFnb6jP/0UQ7bzrHQekUcH
        jo8UJD6G7j/XvdAtzXWrMQA=
        -----END PKCS7-----
        """
}
