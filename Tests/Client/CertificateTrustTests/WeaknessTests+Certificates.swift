// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Certificates that current libraries refuse to make, made with OpenSSL 3.0 for these tests; the keys were discarded.
extension WeaknessTests {
    static let shortKey = """
        -----BEGIN CERTIFICATE-----
        MIICDzCCAXigAwIBAgIUY1CQuvvgRoOdK4IQMpqQGvhfWEswDQYJKoZIhvcNAQEL
        BQAwEDEOMAwGA1UEAwwFc2hvcnQwHhcNMjYxMTIxMDMwNzEyWhcNMzYxMTE4MDMw
        NzEyWjAQMQ4wDAYDVQQDDAVzaG9ydDCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkC
        gYEAueJ0fUqQIxAlq+VMN2k5yJBHgiS34Pngs5psuXJQUaUu5XX6xxx4mZrR8g0q
        er10Lhj9LOITJGaTsvqbvfsmcfghCOOlQYOjXIqB2h1kZLK/g7n4Ta8zn94vk+C/
        zWV4416DfyD1JhdqwDtao+8xqJjZ206PQMb8wxN6Eoz2L5kCAwEAAaNmMGQwHQYD
        VR0OBBYEFEYO3WupbsDxrQOR8RS7+3OextlzMB8GA1UdIwQYMBaAFEYO3WupbsDx
        rQOR8RS7+3OextlzMA8GA1UdEwEB/wQFMAMBAf8wEQYDVR0RBAowCIIGYS50ZXN0
        MA0GCSqGSIb3DQEBCwUAA4GBAAU0oEFjO2Mw/7Hm5qVJNDMqd2oKB9pemrqAe0/+
        ewUdJL31BQhSlj2nIlxFmZF+YHRAll98XtiI33zpLm58YdW4KMf3b2+OJG6t4j5I
        uLFpeXTGq989VqD6Nok4sOQNsAMrWgrPKhcBdMC2hiNvaJ9J0UIUfpSzQ6l8mmun
        9BbO
        -----END CERTIFICATE-----
        """

    static let sha1Root = """
        -----BEGIN CERTIFICATE-----
        MIIDDDCCAfSgAwIBAgIUSxoG3unvb2WDWtx8fNDw0djTikAwDQYJKoZIhvcNAQEL
        BQAwDzENMAsGA1UEAwwEcm9vdDAeFw0yNjExMjEwMzA3MTJaFw0zNjExMTgwMzA3
        MTJaMA8xDTALBgNVBAMMBHJvb3QwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK
        AoIBAQDBupJSsZk4hMmevSpknS8TmvwlIlksM5O4AL6f1xFbyAxyIuvxa4kD+ApU
        IT0JpuDBXRXQFyzrCuji8etFT+Y9zow7hCVI17u2MrThpo3U8V57mItAPlLKV/PV
        zCEeYIiJmjZvmULAaHWcdcicSV/oxXsvcDGvXpnpyrTIZ0YlIJSOV4XTtdK0Alks
        RDV6OrS17fX7BRfMIAvxXHZULp/Au0StBQ9MUj20lrIVDYmCNYIaw1bQKqS14t46
        sBkxOE5Yee96qyppTtoh2EYF+kT/X2twW5KU7dLWJifY+pvzDwH4cHkymFBu1XJv
        /RAwJTVytFVYDbQo/34/iKrfFCKXAgMBAAGjYDBeMB0GA1UdDgQWBBT7vm44oem3
        g1Rn+Yrp0z0XyxcH8zAfBgNVHSMEGDAWgBT7vm44oem3g1Rn+Yrp0z0XyxcH8zAP
        BgNVHRMBAf8EBTADAQH/MAsGA1UdDwQEAwICBDANBgkqhkiG9w0BAQsFAAOCAQEA
        Uo0PgsXdXEUnfrGLEHr9n8j5iqtJa5NLId5EHFtYM9wHa08MJa60h4THZG8W2UmM
        qrqDjz5iGHkov4/0oKhS3GkgkKIU9h9f6hU6s4BDdYSULrwP+yIm/h8uRe1n0yIG
        QmSKkXfsqzP8Lidrop51hzihXJoB2FZiKTbfFj3l4dsMGo4Nd6/dHFI9XNH+d5ZX
        +gqfVDTUgTJ47S10oxUW01Ccdqe5zbIaUrbLIJZXKmHZ6qKRqAxuq59aHam4oAie
        K7XzVLGe5duAoNSIplA+z9R1k6qbjKD6vA2qLl+Jr4qvk24gCWohmiBtZT22V2Xx
        jbkeGonnLF+DQlnYE7inxg==
        -----END CERTIFICATE-----
        """

    static let sha1Leaf = """
        -----BEGIN CERTIFICATE-----
        MIICODCCASCgAwIBAgIBTTANBgkqhkiG9w0BAQUFADAPMQ0wCwYDVQQDDARyb290
        MB4XDTI2MTEyMTAzMDcxMloXDTM2MTExODAzMDcxMlowDzENMAsGA1UEAwwEbGVh
        ZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMUD4wpD8MXcHLZwB5r6noJJ3cdI
        0ChkTWlL7qlenQnQeSLLwmeihgjwx2JRkhHAmKlwL0G0buxNqOWmUSnX3aKjajBo
        MBEGA1UdEQQKMAiCBmEudGVzdDATBgNVHSUEDDAKBggrBgEFBQcDATAdBgNVHQ4E
        FgQUP6rDQc4OlV6kkXC0G20jDWf42/gwHwYDVR0jBBgwFoAU+75uOKHpt4NUZ/mK
        6dM9F8sXB/MwDQYJKoZIhvcNAQEFBQADggEBAJ/kF1+Cl0ryLhjYfsAUFwBESKAt
        LtNbxs2pxyDfdOJtTjDq+pHe1wmLn/v2vcCMmFsa4BUviYhVihlM3Z4GZU7PhD12
        dzpMwZTvq/h9fGitywBWU5E0x9qarOMjKDjXjfssd9wSiGFtYIKXxCaakLB9t+yh
        yfGtFgqgLhznq0Iu9YWod/ulroPnNL9olC5yHOkRAimwToNdm+f84BrKTuzodUKt
        /+T4Lc7gV2zairdn8Sl3ReV2EO5Bpm4Le43sPKjNSgmrbIwxPeSChN37wyYURhP/
        +xaIn+tYdO+CD9bjYRufDZqocdIJg0TugfBMrGUZyohz+3KJTHfSNjgUELU=
        -----END CERTIFICATE-----
        """
}
