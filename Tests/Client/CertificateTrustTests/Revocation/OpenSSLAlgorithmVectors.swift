// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Roots with other algorithms, each revoked by its own revocation list.
///
/// They were made with OpenSSL 3.0.19 (`openssl ca -revoke root.pem -crl_reason superseded`, `openssl ca -gencrl`;
/// `default_md` is sha256, sha384 and null).
enum OpenSSLAlgorithmVectors {
    static let rsaRoot = """
        -----BEGIN CERTIFICATE-----
        MIIC7jCCAdagAwIBAgIUGiNulfsr8ygH+W9krLHKOVFjRfkwDQYJKoZIhvcNAQEL
        BQAwDjEMMAoGA1UEAwwDcnNhMCAXDTI2MTEyMTA5NDYyOFoYDzIxMDkwMTEwMDk0
        NjI4WjAOMQwwCgYDVQQDDANyc2EwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK
        AoIBAQCxMSDYynP4039/cpUNWcnsdmXunOkaFynsec9w0pSdalqyqLTDTxv45ejd
        RF7fnpHWRhserd8XKWmLHjhpqlgMNlGvX71+rsmyEJO1fdf6cUs/eBpOrNdEq81E
        YZHVeUJMdYravvIgdGDXzp8lGRcJIHGLl88ERAekO22H+ykqkeewqBn0QCAs5Sz+
        4Czd3YwXtQVVCY7n9c46stQTqqZ9FD3J2kboWMr7o0NGYgiLdv7sg2v7FLoydmsc
        sxdS3o7AO48DpKvrW/wOmkq9nUy/HaKkxyKRnOC9UXPj53u+y3u7Ykzn2unqZzWY
        2C9maD7EF0AlBc6dXSGiSdb/QAWPAgMBAAGjQjBAMA8GA1UdEwEB/wQFMAMBAf8w
        DgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQWBBSO/RljhGVeYO5wYuS/29/zu+bcdzAN
        BgkqhkiG9w0BAQsFAAOCAQEAbQ0b26y2ZuRR5SFxqDXNi0fQ9pbPs5BOReGAwjRM
        LA1LKmm87P8m7UdJd1K0wvBidcWZSHzXmIyBNCRJ9MPmbMe5UnKupKVOiK+Zg7uD
        GE9wNrLO8lEcjHyTXYeI3jaO/rouXWt5NqsBfCaL/jUwUx/j93XndtWaBjqLsHbE
        ve4dRYf/Q6onSYrZcw9a3EnOnnBQdKFmF2LQd2oAYEpNdBqhsM1U5QdFeS58eD0k
        s+B4soEzejBbUhWwGD0A+8EWWMXtrjuvxRDt0OtH5ID+VF0utO+aDE2h5Cq30vUF
        ylcn2CcxgXizxL9EoYjqPcHpoPHMrkf0+ZA3zAdNJi8KXQ==
        -----END CERTIFICATE-----
        """

    static let rsaList = """
        -----BEGIN X509 CRL-----
        MIIBoDCBiQIBATANBgkqhkiG9w0BAQsFADAOMQwwCgYDVQQDDANyc2EXDTI2MTEy
        MTA5NDYyOFoYDzIwODEwODI0MDk0NjI4WjA1MDMCFBojbpX7K/MoB/lvZKyxyjlR
        Y0X5Fw0yNjExMjEwOTQ2MjhaMAwwCgYDVR0VBAMKAQSgDjAMMAoGA1UdFAQDAgEB
        MA0GCSqGSIb3DQEBCwUAA4IBAQAddY+uDQ7yIi7hR8PL2pu+/fPUHKcO+k/aiYAo
        8sfOJAZWL19T+vwDKt+6sQkcEeUVZC09FKdRi6pq4yy1PiC+Vbxt4se80w2fX95U
        AKzsC8ocLW4b1g/NvSKLBjChwfESg073qvpv02p7YESTpUZMATa60jeYJXVwZJz/
        wUGwiSB490HPJ7ByPy3BdH7FGij6Eq9quonesgesKiugv3/HPWG7d/IZB5wRh6i/
        16q7qdJd1NmqWuYTMOhdLXjftw7NAchUWxLDrQb2OJq9ZfRNLyXloFKxVyO6ju/4
        DMC+XzNyWinmLiGzIrg1is5Uo1nA+18KnX6tzqF1YvtWRWI/
        -----END X509 CRL-----
        """

    static let p384Root = """
        -----BEGIN CERTIFICATE-----
        MIIBoTCCASegAwIBAgIUI8Jm5r1rGVV1BOZkbCeumzG/FI8wCgYIKoZIzj0EAwMw
        DzENMAsGA1UEAwwEcDM4NDAgFw0yNjExMjEwOTQ2MjhaGA8yMTA5MDExMDA5NDYy
        OFowDzENMAsGA1UEAwwEcDM4NDB2MBAGByqGSM49AgEGBSuBBAAiA2IABPm7UUsD
        3kRjKBg14Np1pZwgI681BfsqNnGtTdgo/D9fcIzDtWhrmyLoiRa8AfVJsKuPF5Gr
        aprcwdHswCy6/d/bW/DsV1xIQHSTb+kOiEkn5OJDwNz1tSnEOUTc7X9zNqNCMEAw
        DwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFD9orAuU
        OUz4iuVIhQx5+ZQPBqikMAoGCCqGSM49BAMDA2gAMGUCMG6EbCxirF6hI0jvoG1z
        OHyag492hOlAnZqLCq5UvZazK5oVKeAQrhNvI78VlvOdkgIxANpo+Onkptc9/TfY
        2hZQ+KxVelW/tBHFIEAT0UHMPgshZ0eEOmitH914JHIwGH+/TQ==
        -----END CERTIFICATE-----
        """

    static let p384List = """
        -----BEGIN X509 CRL-----
        MIH/MIGHAgEBMAoGCCqGSM49BAMDMA8xDTALBgNVBAMMBHAzODQXDTI2MTEyMTA5
        NDYyOFoYDzIwODEwODI0MDk0NjI4WjA1MDMCFCPCZua9axlVdQTmZGwnrpsxvxSP
        Fw0yNjExMjEwOTQ2MjhaMAwwCgYDVR0VBAMKAQSgDjAMMAoGA1UdFAQDAgEBMAoG
        CCqGSM49BAMDA2cAMGQCMGevpybjksJaDu8SofEuvlTW1x3uTuMbqMzVju/snTgV
        cuDmZFccpQ1xhArppt3ZTQIwd7HfGtQ1IlAlJfovJuuhggIrvV+mpje7mTwlP1qr
        PNP9j4JgZPRhJM0ofmflrFc9
        -----END X509 CRL-----
        """

    static let ed25519Root = """
        -----BEGIN CERTIFICATE-----
        MIIBKTCB3KADAgECAhRGZ7Yko24yZVvy0yxrB5DqVw3VYDAFBgMrZXAwEjEQMA4G
        A1UEAwwHZWQyNTUxOTAgFw0yNjExMjEwOTQ2MjhaGA8yMTA5MDExMDA5NDYyOFow
        EjEQMA4GA1UEAwwHZWQyNTUxOTAqMAUGAytlcAMhALsE5EZsrLg6mdpoqnGvji/M
        xRc4WNyzVjMBS2HpZgR0o0IwQDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQE
        AwIBBjAdBgNVHQ4EFgQUJOQaSZNzH2dHFB7auIIhHwrI4GgwBQYDK2VwA0EAs6Jf
        rihKKT3/TWHm+PDhRt9u/LCvROiNFM3Q+RNFu6k7DVurASC3W4OxBar2Pdut0Khc
        a3ig7aDweLE//kTvBQ==
        -----END CERTIFICATE-----
        """

    static let ed25519List = """
        -----BEGIN X509 CRL-----
        MIHSMIGFAgEBMAUGAytlcDASMRAwDgYDVQQDDAdlZDI1NTE5Fw0yNjExMjEwOTQ2
        MjhaGA8yMDgxMDgyNDA5NDYyOFowNTAzAhRGZ7Yko24yZVvy0yxrB5DqVw3VYBcN
        MjYxMTIxMDk0NjI4WjAMMAoGA1UdFQQDCgEEoA4wDDAKBgNVHRQEAwIBATAFBgMr
        ZXADQQABAk7Tw+LAaLMdKJDMw0rR1TmC7g/ZVx3M4X0t8pQiXLSPwtmQutl3t/Nn
        XOH5gMQfcPAwZDtqtuhRh5/xV4oO
        -----END X509 CRL-----
        """
}
