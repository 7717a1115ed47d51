// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import Testing

/// Files that OpenSSL 3.0 wrote for these tests; the keys protect nothing, and the passphrase is "swordfish".
enum Fixture {
    /// A self-signed certificate, `CN=fixture`.
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBezCCASGgAwIBAgIURvQFNOFHfK8DIhI6pIax+bsBuPgwCgYIKoZIzj0EAwIw
        EjEQMA4GA1UEAwwHZml4dHVyZTAgFw0yNjExMjEwMjA3MzFaGA8yMTI2MTAyODAy
        MDczMVowEjEQMA4GA1UEAwwHZml4dHVyZTBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABKF0HLKEaVfeI+Bm4ITXpA6+GDewuTqgOluD4yXmrYQkkU9xt0c3ApNUjoN7
        ejHRU95X2TaLwR0m/PYnS3hnU0KjUzBRMB0GA1UdDgQWBBS06IQJlpiXc+gIQSx+
        6nlqBpILcTAfBgNVHSMEGDAWgBS06IQJlpiXc+gIQSx+6nlqBpILcTAPBgNVHRMB
        Af8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIHRgQyjaw5kxZDet8+AZ7vYtpN6p
        a7IWegWdKHJ4WHbqAiEAvB9SFwXBg2sIA2VgihY8MHhIBia5uBMvnF7SMcD9nrs=
        -----END CERTIFICATE-----
        """

    /// The P-256 key of the certificate as PKCS#8.
    static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOAccPGQtDiWnpde0
        5Q424JxhW4iV4zFdQ822XEe+4o+hRANCAAShdByyhGlX3iPgZuCE16QOvhg3sLk6
        oDpbg+Ml5q2EJJFPcbdHNwKTVI6De3ox0VPeV9k2i8EdJvz2J0t4Z1NC
        -----END PRIVATE KEY-----
        """

    /// The same key as SEC 1.
    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIDgHHDxkLQ4lp6XXtOUONuCcYVuIleMxXUPNtlxHvuKPoAoGCCqGSM49
        AwEHoUQDQgAEoXQcsoRpV94j4GbghNekDr4YN7C5OqA6W4PjJeathCSRT3G3RzcC
        k1SOg3t6MdFT3lfZNovBHSb89idLeGdTQg==
        -----END EC PRIVATE KEY-----
        """

    /// A self-signed certificate, `CN=fixture rsa`.
    static let rsaCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIDDzCCAfegAwIBAgIULbK3LRRuBshxMQlTYCoCVR+6C64wDQYJKoZIhvcNAQEL
        BQAwFjEUMBIGA1UEAwwLZml4dHVyZSByc2EwIBcNMjYxMTIxMDIwNzMxWhgPMjEy
        NjEwMjgwMjA3MzFaMBYxFDASBgNVBAMMC2ZpeHR1cmUgcnNhMIIBIjANBgkqhkiG
        9w0BAQEFAAOCAQ8AMIIBCgKCAQEAoGVXwdiOdgnG3FMvPC3fjRnmrutq5ynraynE
        CDJL5SSCiTz0eYsOSwAZJJTAlM8sXIPDfDbAYQzwKhfaOFCvj343vSNo4Bp12r6q
        1ucBiiJqSzBQ4Ez3irpjudVVRowGiyCiVRjOlM0SdTb51757iNIWXUHgkXt+R7kV
        UEDBbWgUBbHZ/rZp6BuN/vQfNeRPeFg+vt8OeMl2/h1J8KbnTf0joBbBSdUn0XJe
        c00OzKSqQfQ1gUHexJK1zEiJXASFlSQmpOMO++H4LJ057f6xkD+MDmnpDxag9ZGB
        ycHka+TOzMxpprk3ZhY1feVwlxp5pt+CoGNxFVOFdV0g+oquXQIDAQABo1MwUTAd
        BgNVHQ4EFgQU8pSbgSfMr4Mncd7xjEDH0DjJHiAwHwYDVR0jBBgwFoAU8pSbgSfM
        r4Mncd7xjEDH0DjJHiAwDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAAOC
        AQEAFkw1gWTkUFo+RF1x3EW3udSBaj29b/o+mMtehAVugPI3vrxD1h0BqQ6aeUF0
        ZgSxJ0PeyqeC6Y24fA2SIUenlksx0YAFg77ngdbBzZKorkR2SsfSyovK+dh/uFpE
        ajMnSzOM38O8Fz5mt5eqDVEfnI53hkgQVoZPgCq5iRnJnskyhRigGfJ0GFR9PJPN
        AcZFydbrhrMKDisy1sQXCw6uGufWp7KlfgknvUZjWLPHVEWUI4FsdcMZT+ZFW3lw
        w7MQrXq8U0axpyP7zJfY2+IfM8a2yqmbBEyG0wVdgPJckgdhRZ2+oz/9FEO286x0
        HpFHB46PFCQ+hu4/173QLc11qw==
        -----END CERTIFICATE-----
        """

    /// The RSA-2048 key of the RSA certificate as PKCS#1.
    static let pkcs1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpAIBAAKCAQEAoGVXwdiOdgnG3FMvPC3fjRnmrutq5ynraynECDJL5SSCiTz0
        eYsOSwAZJJTAlM8sXIPDfDbAYQzwKhfaOFCvj343vSNo4Bp12r6q1ucBiiJqSzBQ
        4Ez3irpjudVVRowGiyCiVRjOlM0SdTb51757iNIWXUHgkXt+R7kVUEDBbWgUBbHZ
        /rZp6BuN/vQfNeRPeFg+vt8OeMl2/h1J8KbnTf0joBbBSdUn0XJec00OzKSqQfQ1
        gUHexJK1zEiJXASFlSQmpOMO++H4LJ057f6xkD+MDmnpDxag9ZGBycHka+TOzMxp
        prk3ZhY1feVwlxp5pt+CoGNxFVOFdV0g+oquXQIDAQABAoIBACTofQOhmdKGmGht
        idJ+udDFs4PvrxdHWaE8qJu8OyOcvZ7n1Fe9jEns2VxGEHSNoaceONb14FnUuNTu
        zSulQWizAg93PPRIknMF6djuqjeHiM8JbKrYeyPElRsXgHpt0TmlhkUvoqWx9Lvd
        LSucbN/EfBn0hUDk2l+VstZXOEs8yOtAHXa4vl6gqw8H5clCy/ON7jXgr52KZ7J8
        YBVWD8Fi3ha6HHHgf3QVqpCr7bTdGZI1mWu2fiV21PatcyoQCmOpkqW1eJ61wE7e
        TgqL5Ecaq85SDErm57F9Ys/JYShBRGdZ9/Sc2eRk+2uLDZBozakUaHiSFf4R0MBS
        gbboHP8CgYEA1lTkdDowMuvKJEaeoSepG8znswtNU1YE0IEywJiUBRvxIOvz7LPw
        0gC+WKAf1TAH2Bpo/XhRSrpVyl5bUfSqZbpWVH8tdmaQVD9ZuVlSc3isv537z6KI
        SeG1PBLyLEWup+twSrzkeFRHMnFeGEUwOIzM7dVW66et4DMyroBY00MCgYEAv5Qc
        8P7bdurzjUn5/0mx/Bgeg+m0wpwVbK31E8AutHkC3HTDTClePVf0OMeiJXTxqEvE
        TAkLB1JgQWkU4exNGuCeZyMVqeUw7ZlGcMmakMNd9IbxMPHNZxqzQ0IZ5R+tXlq8
        v7rjbh4PA0/HIP0f1iQLaH7ryGLCr27XU2Eqzd8CgYADmp3Uzn2s/YYCoiVctFwF
        maZzvkboldOy5dlCn84tX9DoKs+JNWVhQp3ww5CFdy9KlPca/ADx7rwukPOcJy8O
        UtnMxe6vxP28TOxnT3cxdeABwNhRH3yHMYJopjDoSausKytSNmbpFxGzaXCZm+A5
        szRm82VoxQMJeBLsGEBmHQKBgQCn+35ZDo9vOVrvY5NS9tKa4qc3MaBvGB9tGSeQ
        9u29D3KjzbpFOOzKSyn484tI3r7au/zWUwOZmvCNyk8mPmXpkFU0yD3BqBZ77+8l
        DJF8J+JlfEFWkl9x7aaL7hT4pAsHdfaVA5FSSAcP9076rRjSUu6x5MBoB7j/zOf/
        026N7wKBgQC5rva94X95GnX++3BrMUnHmkiQXXCh5cE7716nP1xc3UkarKTWlbnV
        /lLhUjvvkEW4QycrXhafB/eWUYB7wyiaCQTcJoSwrqJnndSqTiyJmH4jTLCIAVrJ
        srcKSlMmTlw23My/fa35eyJeDSbFSUllXK3jIiuFnX84QBqSZh1Bdw==
        -----END RSA PRIVATE KEY-----
        """

    /// The P-256 key as encrypted PKCS#8: `openssl pkcs8 -topk8 -v2 … -v2prf …`.
    static let encrypted: [(scheme: String, pem: String)] = [
        (
            "AES-128, PBKDF2 with HMAC-SHA-1",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHdMEgGCSqGSIb3DQEFDTA7MBoGCSqGSIb3DQEFDDANBAigpSLM8RAlQwIBZDAd
            BglghkgBZQMEAQIEECyHVhwKE5pOi8Lwuu+RBBUEgZCsgo6nQqE80b9esmrvfnrJ
            Rh+bzISm2S6fjlAWvttEKkGAOBtwTNiN4CyrS/C8Wrmn2D7MMAJNB0vE71/6rEBq
            jZ4+7FFfjtxU4w4Z4NKtI/PJXTq6yy6+IIjwlLw7lPrZD0c5Blwth5jNpg1E4vKi
            VUlOug9dZHioiGYvdqKTW+zuAtLve7bn1aqCTogglJo=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "AES-192, PBKDF2 with HMAC-SHA-224",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAid9wy5GiUp0gIBZDAM
            BggqhkiG9w0CCAUAMB0GCWCGSAFlAwQBFgQQC72dm9x4S1aemztrUGpVrwSBkOpB
            Algn+WYd1VhvFxpo8tw6t1AX3sQ4TRAt4hikCX7J7Yuzr+5RfHrSVOra4IF9v+Lg
            iIruAv4UOwanz8aJAJJD+SszVJJ6u8K/HdYdwZY/Oz8OJcbffLLSaIr83yKDtuiY
            lTUPvoBeIaJ+PatPVIj3pbjluG669NrKwD04qooznW0yC8XTeFMIFZvvlf8QbA==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "AES-256, PBKDF2 with HMAC-SHA-256",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAjLDcuF2kCplAIBZDAM
            BggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQEdYngjGQ6P3EMjqoZrku+ASBkJN1
            IwOxkAvATAdEBIQBNGm8g5GveY/ByZnK8f56wnIOF/5LxwQpbYRUrSIAvMstyr8C
            rJIVl0EhmXvsGPfQG+NV21q91W+UVLdJxX1MtghFjUjvjiAPW4EAeAJrT99ONHrD
            ebcBijYL4zL6hTP/vjOUS9x/0yluH5FLuwMQUanF4mtAe9WjKcrtszIFM3FroQ==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "AES-256, PBKDF2 with HMAC-SHA-384",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAjLO7dGqmqk2wIBZDAM
            BggqhkiG9w0CCgUAMB0GCWCGSAFlAwQBKgQQT/Lh0jm1UGrCaG7y27k2WASBkNUZ
            QqZRCL6XBPokW9cf5SfIXszEcvc0pd2ZEnHSuloPdTQcko7Jxxe7Ay/1ZoG4ZktN
            GHaeeMFrFXpAh0rZheGsV6lC3m2jABjLavnNuBb5iZbb0NeHAeeNPrQUvkxqPTuM
            cuxaTTPMHv95hBpXh5E45spSzeTt5RA1e/tSyQ90p7JWXBt05R+eFXQ2zOo4zw==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "AES-128, PBKDF2 with HMAC-SHA-512",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAjFllWQ6W2WfwIBZDAM
            BggqhkiG9w0CCwUAMB0GCWCGSAFlAwQBAgQQLeS/peuThNWEJGsLvVYg9wSBkJ9A
            Z6kWBJgxkOhqRL2AU13xEAbck4QTWyBQQPqIg0H1vLoIC+PgBHbZDESUvznI8/DA
            9G4r31F7UQPdWibIu9Z0W0asenM0debARQ2QCV0fE2PH38n2wfSyS/cd8Bzko40i
            nVlQ5W9zM4GrFAOOhe6ueOUMhyS6Tw+dIS8GWNF2dlHgqK4jPTFW05P66N/79g==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "AES-256, scrypt",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHkME8GCSqGSIb3DQEFDTBCMCEGCSsGAQQB2kcECzAUBAhG0gaUXxhqKQICBAAC
            AQgCAQEwHQYJYIZIAWUDBAEqBBAn5Nt0HcCjdrAwkrOIR8xcBIGQVoha+dUMYvmV
            nU0sjEWDaZJdEEW1EafXz6AnGU9VBPvJ/lvBIzVUkf6ouwn7VJVhM34C/7ovxA4D
            dbGe0xWbgTU1hwKBsgzhqYUH7qOFdpxNEZkh2Wq7D5Ys/dSzI9XiIeRKwq47a0LB
            WeoJJ4M2qnLHD+GHaEp7D6z9pf2XfQrdib+uwfZJiUPEG1sVAIr6
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
    ]

    /// The P-256 key in unsupported encryption schemes.
    static let unsupported: [(scheme: String, pem: String)] = [
        (
            "camellia128-CBC",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHtMFgGCSqGSIb3DQEFDTBLMCgGCSqGSIb3DQEFDDAbBAh6iQfYy77luwIBZDAM
            BggqhkiG9w0CCQUAMB8GCyqDCIyaSz0BAQECBBBT6JRhafJFEYpzYRd74xXUBIGQ
            dF2aUoTat/8H8ESzI4o53ZdKND14wa4qKnTl7uzAmj+iC3pjivJnbnsssBPvu2+T
            mtD4uNSY1w/G/JWw/sFKFC6Aajeu7gRQwwO3vGR/YRzQlu1J7NnB98pM6rY3KLjv
            Ui3HkpqK5N1aTDBnRWCaoV9j+DrH1zEy9yObOtbvBFxtOjORTCSXcAzGS8aTkV0U
            -----END ENCRYPTED PRIVATE KEY-----
            """
        )
    ]

    /// The certificate and the P-256 key: `openssl pkcs12 -export -name fixture -iter 50`.
    static let pkcs12 = bytes(
        """
        MIIESAIBAzCCA/8GCSqGSIb3DQEHAaCCA/AEggPsMIID6DCCAoEGCSqGSIb3DQEHBqCCAnIwggJuAgEAMIICZwYJKoZIhvcNAQcB
        MFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAgjvghfdqdcGAIBMjAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQSyxe
        wm8TKfPfJWBLNP+u6ICCAgCpZrUlXv6WihpGgloKOHw+lm2w7up3P3oWZdreJCv+Zcj1//Ca1Y8hmYMrc67E3Hh2RN2Ab4acGEel
        h33WjftPnMFogqicDfoc7aQe45POIbnudRrmCcl55ba1xpxHoCvpiufMUtPhGc0t0HqKDrPmJrVnv9w1HnSwOhpjHZfXh5fyFQwe
        rH4llCylelbOAKO3K82U04yY/lTUb28bqGI0P0OqJzrma+N19RmBZm5+OMgVwaeXsXrTmyFtbSZoVhG43d7R/7ZWt9PIVDAuYHar
        fSqMVhQFmxNJ8EAH/mQR09S5hz9IKDn0QXlEt3zd/j4+po3B9pA5RuFFimP+s8hrJ8xvE9n4+DWw0qVDodYk4FN7EhGtdKgIUY1Z
        MDVtxwx8n85XASB1Mxb5ABsHEiIyJ2di058xxB0TUd1BjwTXpcBg3fwi6kJrYlTIzKX9rxVNggNAq3eUksmbFPwkxlVR0kr+nN8O
        E29ZOWuEM2J8NjuqdT8lZOa9ohN6KRksmVZIz75IkILUsAPboBhuk7ZAw0YRhyJ6xJIrbwxjCwjMaTSg8NY3QwCba2yggUZd5Swi
        yFHTloZpIIcTPsCU9QIyyBADJm+QRmwgCK4XT1njszjIjwXNBMchxh6Yre8Jx9eI81Q0jF8m6dAFNk53+I4+bMj0/Hc56m76b8s2
        gZL66TCCAV8GCSqGSIb3DQEHAaCCAVAEggFMMIIBSDCCAUQGCyqGSIb3DQEMCgECoIHuMIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqG
        SIb3DQEFDDAbBAgOtXmVUL5ZsAIBMjAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQCE08fBObHEN6heq0nzKYUASBkO8hBvA6
        PQDmUxIxHWziV9oZRBV5AkjxGPBEQQvwkEOs5MUuFdOf0R3iY/B9abQ1f0qz9mmIo3QPtJnpFZ4coPWS3Z/IvSGCcSHJlvsvjcas
        OPRitZdRoNV6a5CMPINE8vQXlQlQM3b8fNj2vaa/kHZHg2CVQ9R84/1mdQN0RS7WdV1KmRXJlYRQ2ecW6EDp+DFEMB0GCSqGSIb3
        DQEJFDEQHg4AZgBpAHgAdAB1AHIAZTAjBgkqhkiG9w0BCRUxFgQUTE2h872PlGGfeRMtFVRtRsrfum0wQDAxMA0GCWCGSAFlAwQC
        AQUABCDfgpZIkVEngvfbevzC3VMiSvh+xQrtgFK6Su6kgKWifQQIUO8UolBy8A0CATI=
        """
    )

    /// The same contents without encryption and integrity check: `-keypbe NONE -certpbe NONE -nomac`.
    static let pkcs12Plain = bytes(
        """
        MIIDJQIBAzCCAx4GCSqGSIb3DQEHAaCCAw8EggMLMIIDBzCCAgkGCSqGSIb3DQEHAaCCAfoEggH2MIIB8jCCAe4GCyqGSIb3DQEM
        CgEDoIIBlzCCAZMGCiqGSIb3DQEJFgGgggGDBIIBfzCCAXswggEhoAMCAQICFEb0BTThR3yvAyISOqSGsfm7Abj4MAoGCCqGSM49
        BAMCMBIxEDAOBgNVBAMMB2ZpeHR1cmUwIBcNMjYxMTIxMDIwNzMxWhgPMjEyNjEwMjgwMjA3MzFaMBIxEDAOBgNVBAMMB2ZpeHR1
        cmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAShdByyhGlX3iPgZuCE16QOvhg3sLk6oDpbg+Ml5q2EJJFPcbdHNwKTVI6De3ox
        0VPeV9k2i8EdJvz2J0t4Z1NCo1MwUTAdBgNVHQ4EFgQUtOiECZaYl3PoCEEsfup5agaSC3EwHwYDVR0jBBgwFoAUtOiECZaYl3Po
        CEEsfup5agaSC3EwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiB0YEMo2sOZMWQ3rfPgGe72LaTeqWuyFnoFnShy
        eFh26gIhALwfUhcFwYNrCANlYIoWPDB4SAYmubgTL5xe0jHA/Z67MUQwHQYJKoZIhvcNAQkUMRAeDgBmAGkAeAB0AHUAcgBlMCMG
        CSqGSIb3DQEJFTEWBBRMTaHzvY+UYZ95Ey0VVG1Gyt+6bTCB9wYJKoZIhvcNAQcBoIHpBIHmMIHjMIHgBgsqhkiG9w0BDAoBAaCB
        ijCBhwIBADATBgcqhkjOPQIBBggqhkjOPQMBBwRtMGsCAQEEIDgHHDxkLQ4lp6XXtOUONuCcYVuIleMxXUPNtlxHvuKPoUQDQgAE
        oXQcsoRpV94j4GbghNekDr4YN7C5OqA6W4PjJeathCSRT3G3RzcCk1SOg3t6MdFT3lfZNovBHSb89idLeGdTQjFEMB0GCSqGSIb3
        DQEJFDEQHg4AZgBpAHgAdAB1AHIAZTAjBgkqhkiG9w0BCRUxFgQUTE2h872PlGGfeRMtFVRtRsrfum0=
        """
    )

    /// The same contents, encrypted but without an integrity check: `-nomac`.
    static let pkcs12WithoutMAC = bytes(
        """
        MIIDjgIBAzCCA4cGCSqGSIb3DQEHAaCCA3gEggN0MIIDcDCCAgkGCSqGSIb3DQEHAaCCAfoEggH2MIIB8jCCAe4GCyqGSIb3DQEM
        CgEDoIIBlzCCAZMGCiqGSIb3DQEJFgGgggGDBIIBfzCCAXswggEhoAMCAQICFEb0BTThR3yvAyISOqSGsfm7Abj4MAoGCCqGSM49
        BAMCMBIxEDAOBgNVBAMMB2ZpeHR1cmUwIBcNMjYxMTIxMDIwNzMxWhgPMjEyNjEwMjgwMjA3MzFaMBIxEDAOBgNVBAMMB2ZpeHR1
        cmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAShdByyhGlX3iPgZuCE16QOvhg3sLk6oDpbg+Ml5q2EJJFPcbdHNwKTVI6De3ox
        0VPeV9k2i8EdJvz2J0t4Z1NCo1MwUTAdBgNVHQ4EFgQUtOiECZaYl3PoCEEsfup5agaSC3EwHwYDVR0jBBgwFoAUtOiECZaYl3Po
        CEEsfup5agaSC3EwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiB0YEMo2sOZMWQ3rfPgGe72LaTeqWuyFnoFnShy
        eFh26gIhALwfUhcFwYNrCANlYIoWPDB4SAYmubgTL5xe0jHA/Z67MUQwHQYJKoZIhvcNAQkUMRAeDgBmAGkAeAB0AHUAcgBlMCMG
        CSqGSIb3DQEJFTEWBBRMTaHzvY+UYZ95Ey0VVG1Gyt+6bTCCAV8GCSqGSIb3DQEHAaCCAVAEggFMMIIBSDCCAUQGCyqGSIb3DQEM
        CgECoIHuMIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAg0EWJALUDEMAIBMjAMBggqhkiG9w0CCQUAMB0GCWCGSAFl
        AwQBKgQQ09GuOOhv6a8XaQPekuOYtwSBkEWMrBev4EN4YXS3/FAVwz0pOZTxdQdXCbx+JsEHn2FkIiV0QPnaE8P3QwxRb1IIaa9F
        n+Yz4//0ZoCr7ULABjknj8jFSc8buzmojONYxLZybabyNZj535w96ETVGwp7AgemmzqZq/pz5ysS+aTuGpjFJGl8pDS919JisaXp
        GOVfBUm/qaBMiWDQiwjhin0XvzFEMB0GCSqGSIb3DQEJFDEQHg4AZgBpAHgAdAB1AHIAZTAjBgkqhkiG9w0BCRUxFgQUTE2h872P
        lGGfeRMtFVRtRsrfum0=
        """
    )

    /// The same contents in the format of OpenSSL 1.1: `-legacy`.
    static let pkcs12Legacy = bytes(
        """
        MIIDdwIBAzCCAz4GCSqGSIb3DQEHAaCCAy8EggMrMIIDJzCCAh4GCSqGSIb3DQEHBqCCAg8wggILAgEAMIICBAYJKoZIhvcNAQcB
        MBsGCiqGSIb3DQEMAQYwDQQI/Y3MFY0mV9MCATKAggHY6ZGUgHporL74p6N/YGZyZ/+BU2Eldxi2C4w8fPcCCbfCnAogJNQXiBfY
        sQ0qSwO86j2qIJZTa+N0raP4IZUFYkD9vJdYwkdR0JfZLYJ3cOe1uTLFGZBkVVvzguO/S1Sfj1WdapeaUlVGbG7Y4hJnfd2ergHZ
        tASE//SG1fdcXmT07ac28/bKXFA9R8PY9+hVu1GmtaatOi0LuUDn0ArYnbE7PEcMjJpTY2fNOw9OcRUI61cM9VnyKVJtPU/65bNr
        Jwh05UZNg6XMTRhLHQ71oZ+ES8rdFHGamnkKLzrTG9A+mcwBLOyYpvF1/3EH5KlzKPbwAWYZLdmpQQseD4HYI96sWGPYjd1qt07b
        E3yR57d8UaGzgxcvM2sb70OwU1gSlqFXcTc3rPW/KZXmP+fkVIdpUr8WOV2fFyvSj4o27s+smAP/2VoaSp10F5xkfUmb1n5qHmJf
        WbAVySMaLqyxBfvaGD72Zny/68IsoyJjFCq/y2Pq3SvLY6bUjg1mb0W01D/wUQRjxpLghp4waydhxSaY4Y6+tOI4uq0WNlKQtpj0
        xjIyMIbJhAjy2p/QjFCAvL4A+Ee8HILIZf3rsVHIzR/vbrCyYFNqwGe0ptkGg+IUFRs0xQp7rTCCAQEGCSqGSIb3DQEHAaCB8wSB
        8DCB7TCB6gYLKoZIhvcNAQwKAQKggbMwgbAwGwYKKoZIhvcNAQwBAzANBAh+Oq1sQEXitAIBMgSBkM19rAbUJsMM9uC9uykrvlCM
        WlqmHmzfG8Nl+3d5M5oojsrKlCbjFSlyEvwyHfI+agMgpuWYWylz4ZjDb3hOn9xsVAejgOAxQ4cvu55dbAqi/aCV8s8Tjl48bwON
        IyxRx9m88wNwh6I6lmFgxHhQ8iwGlS4ooa9vYX+WOsY8cN6yQdK7mURP5HhIuXn44ln0tzElMCMGCSqGSIb3DQEJFTEWBBRMTaHz
        vY+UYZ95Ey0VVG1Gyt+6bTAwMCEwCQYFKw4DAhoFAAQUhYEUEWegIIyyrFzEXyxHzhSFFHkECOyvCmA+zdsaAgEy
        """
    )

    /// Certificates with unsupported keys.
    static let unsupportedCertificates: [(key: String, pem: String)] = [
        (
            "brainpoolP256r1",
            """
            -----BEGIN CERTIFICATE-----
            MIIBcjCCARigAwIBAgIUH3N7tLqMk6f24vbifB39MTAUohUwCgYIKoZIzj0EAwIw
            DTELMAkGA1UEAwwCYnAwIBcNMjYxMTIxMDIxNDM2WhgPMjEyNjEwMjgwMjE0MzZa
            MA0xCzAJBgNVBAMMAmJwMFowFAYHKoZIzj0CAQYJKyQDAwIIAQEHA0IABGcpfOpg
            hSHQym9KeMswRWQGnVRKqptQzlQaRZpKKiLgN7c9kHBhBufcAVdHTlAY14bnHCBz
            BRT3g46FnswyEd2jUzBRMB0GA1UdDgQWBBRQDD5LKkD+cDY8rapK/UFU7Gat5DAf
            BgNVHSMEGDAWgBRQDD5LKkD+cDY8rapK/UFU7Gat5DAPBgNVHRMBAf8EBTADAQH/
            MAoGCCqGSM49BAMCA0gAMEUCIQCIGTTCgIhpzuAxlkmBPsAbFMtRkJJu2xuv+9P+
            2gHXoAIgB5Dz6v9oEAlc0nUmO/PGrPw3fz8XFA1kG+LWKdHihGE=
            -----END CERTIFICATE-----
            """
        ),
        (
            "RSA-1024",
            """
            -----BEGIN CERTIFICATE-----
            MIIB9jCCAV+gAwIBAgIUTe+DQGhMhNhVmps6kdlPgbY2FKEwDQYJKoZIhvcNAQEL
            BQAwDDEKMAgGA1UEAwwBcjAgFw0yNjExMjEwMjE0MzZaGA8yMTI2MTAyODAyMTQz
            NlowDDEKMAgGA1UEAwwBcjCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAs9vh
            AtF8wbv8EIHtq2c7REbBZ/3M/Qm4CM6I7RJpe8zqqbcE8ewbZ3PP/bB5xIpOKMBt
            QqVOXKlqS+UejkoPnylUr70bOKBnVPZ72vcB/gNoRs1SMwshfRD8tgW9aW9UPLbB
            DE5mbd18CmYsTXa0U7Rm9WFzJIJvx4mekZzVtosCAwEAAaNTMFEwHQYDVR0OBBYE
            FDPShpXR2Z4MIjUKtHrw4JibcCNJMB8GA1UdIwQYMBaAFDPShpXR2Z4MIjUKtHrw
            4JibcCNJMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADgYEAgLKS6GMj
            /LadKVQssLPa5FF2ZetBSK444zEQ0YTQSiTra7Ei5SirFjqxE9/rhQKsvyS8NuBN
            M/w0f6qYKlJjIPxGb5RYJk7lintRjoBnhxW3wmYDyMdC5GjqR3rs+/aaJlA3myc7
            o/3HxoGgZiqaCmv7VVvgxpNN8BCSKpdsm9U=
            -----END CERTIFICATE-----
            """
        ),
        (
            "Ed448",
            """
            -----BEGIN CERTIFICATE-----
            MIIBeTCB+qADAgECAhRJGRDE1vkXVOTvT0VOYmAU1kQUpTAFBgMrZXEwDDEKMAgG
            A1UEAwwBZTAgFw0yNjExMjEwMjE0MzZaGA8yMTI2MTAyODAyMTQzNlowDDEKMAgG
            A1UEAwwBZTBDMAUGAytlcQM6ACFe//fueUSWPZSRIa7qN9RZCXtDgt9s3lw4E9mm
            pZsI+GLncM39o03sguWAW8BNGcyHpLRRUdJrgKNTMFEwHQYDVR0OBBYEFNTHg7wf
            to9YV/WDp3kk1pE68DnRMB8GA1UdIwQYMBaAFNTHg7wfto9YV/WDp3kk1pE68DnR
            MA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VxA3MAqdeFZGEvvlLHecYzy8PVTYY6dHfi
            +ubC3+pTFsP5PCIZ4qukQNN81H71gx3NBetYfkpOVzlNmrEAb/llU+4qOgMuHIZl
            ikhGhZTR9AyuaREDE9nlNXWH+itO0fY+VErID9zBjx4sL8v4sScqrZleOhwA
            -----END CERTIFICATE-----
            """
        ),
    ]

    /// Unsupported keys.
    static let unsupportedKeys: [(key: String, pem: String)] = [
        (
            "brainpoolP256r1",
            """
            -----BEGIN EC PRIVATE KEY-----
            MHgCAQEEIAkcSjzpfinuuj8oLdpMsAhqBhsuCNqmMc0fwE+dCIhFoAsGCSskAwMC
            CAEBB6FEA0IABGcpfOpghSHQym9KeMswRWQGnVRKqptQzlQaRZpKKiLgN7c9kHBh
            BufcAVdHTlAY14bnHCBzBRT3g46FnswyEd0=
            -----END EC PRIVATE KEY-----
            """
        ),
        (
            "RSA-1024",
            """
            -----BEGIN PRIVATE KEY-----
            MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBALPb4QLRfMG7/BCB
            7atnO0RGwWf9zP0JuAjOiO0SaXvM6qm3BPHsG2dzz/2wecSKTijAbUKlTlypakvl
            Ho5KD58pVK+9GzigZ1T2e9r3Af4DaEbNUjMLIX0Q/LYFvWlvVDy2wQxOZm3dfApm
            LE12tFO0ZvVhcySCb8eJnpGc1baLAgMBAAECgYApjjXw1sICaRKWJc7p+VICNm7d
            PhCsriAtOLr+O3DPv8rAJ58m3ix+vI1jyfB4bpQcaklUSqlOU35RxsBGk+oDsvgY
            41jDu4539F4SvqbhmYqFyPY+OgN3Nsjl79yeo8ZcCPCxCYri1MFlSxGL88NjI0vP
            5il98BwbEYYQiJzO0QJBANnZdM8HH8K1DWoyC0ZSfYQJ/rcA/Bnv794+xxj+CnKT
            8Dz5tmOSALXk+aWUH07PLXpXdwLxBN6zbp4xvE1NHS8CQQDTWz7LSmIITDSh3FbL
            rMJB031aC3AVCnFU9YKTCBhG9E6ELkwbhatGjyb+W2aRZ1CmnmbnObpO3SBSkfWO
            mz1lAkEAlO9TKXrAXvgyvKiMBr68qvm+V1ToBb+A6RtYOKDteZnkg3thEz+tFq39
            cxMKOHHxsJN9fNhUMQDRHnv4NY0D5wJAZ6RB2ZxDEECWOpz6ruurYm4b9PDQ6HBz
            fK7bddAtX3Xjnqu5RHG6uGHwRCB73mdkRCA+47oKIywJ8pOCb4iuhQJAAWLx0bit
            iq6hWB2qgCMHIPp7Vfl/eUA5o12Es1fPipyYX8BjbZl1JN5uXXbp8R2b/kW8wG2s
            bqCe0azqDGT3QQ==
            -----END PRIVATE KEY-----
            """
        ),
        (
            "Ed448",
            """
            -----BEGIN PRIVATE KEY-----
            MEcCAQAwBQYDK2VxBDsEOZ8Wd+2RjYOGEmWgAbiXNf7cuIZ+y02E7dXw/aGP96qE
            RRL1Y00QUYwJCRWZMxa0ZLL8m9S0NeWxVQ==
            -----END PRIVATE KEY-----
            """
        ),
        (
            "explicit curve parameters",
            """
            -----BEGIN EC PRIVATE KEY-----
            MIIBaAIBAQQgitKM2crEBBMJnvxK19OnjdLo2WK4wVSQpOUmZ3olE2SggfowgfcC
            AQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAAAAAAAAAAAAAA////////////////
            MFsEIP////8AAAABAAAAAAAAAAAAAAAA///////////////8BCBaxjXYqjqT57Pr
            vVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSdNgiG5wSTamZ44ROdJreBn36QBEEE
            axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54W
            K84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA//////////+85vqtpxeehPO5ysL8
            YyVRAgEBoUQDQgAEY0YseZe0/MMJMJq3LBBnIaHDdENw2wHHsZO4ypMYQtGCDBOF
            rD2Tb5WHIomuU8R0JJp/cngCxUD+C8HD8ny60w==
            -----END EC PRIVATE KEY-----
            """
        ),
    ]

    private static func bytes(_ base64: String) -> [UInt8] {
        Array(Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
    }
}

/// A file with a name, which test output shows in place of the bytes.
struct TestFile: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
        testDescription = name
        self.bytes = bytes
    }

    init(_ name: String, _ text: String) {
        self.init(name, Array(text.utf8))
    }
}
