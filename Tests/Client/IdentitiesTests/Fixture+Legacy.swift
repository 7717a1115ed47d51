// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fixture {
    /// The P-256 key with legacy encryption: `openssl pkcs8 -topk8 -provider legacy -v1 …` and `-v2 …`.
    static let legacy: [(scheme: String, pem: String)] = [
        (
            "pbeWithMD5AndDES-CBC",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGvMBoGCSqGSIb3DQEFAzANBAikjpwBm5iKnwIBZASBkKNpqlMY7jF+/XZyoz0c
            HRRMj0n2ALPxzTcFMmIn0kyiKEN7zDpFGWiWmu4ZwqfFZxMF3lj4H3rbcPFF1e6R
            oML/G+ubMM1Y0/S9Xy0HgXA1JDG7H8z+DAgxj5ryw1gnJtH8NEKXTKei8b9a0cBR
            36Cs4nWgbKPfefFX7GS+04liJG7cWCOcPxTatNM1n7lA5w==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "pbeWithSHA1AndDES-CBC",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGvMBoGCSqGSIb3DQEFCjANBAifdN6vQfGNTQIBZASBkIGcJ2U3DARCtsWB/Aei
            2TJoP3zWhiLINKyd5usuwgA3EAAP2gEDgxm0CUmllqvuPw7JOtGqP37Vq90d11nr
            A9hahjNEOSdNc+DggDIHJIx40yvh+N9Ysij+K9VUUOQ3D+xXLtUOAznZHmrtcf/U
            +2wQrrMXRlj4tq+yc2Uu10bIpOyqjTDaeFijwQ5353e4RQ==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "pbeWithMD5AndRC2-CBC",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGvMBoGCSqGSIb3DQEFBjANBAgKPkrKav324wIBZASBkAq6WAbH2uS1+ydH1cWK
            RnGaVXBkfvDvDelK6GJ4jA2gVRHZR8/y16YI0IeI81lY2P8tFKtfYuLBS+bUKVJF
            bGYgHkuNdxzL2V8wt4Od7bj0EtzDfaNI8+0uHipGTYevUmf4ouO7a9Hue5TDuNeb
            KfOjcdzvddVBAob6AigCQ5v86pHK6/S2II9/zS616ruZ2g==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "pbeWithSHA1AndRC2-CBC",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGvMBoGCSqGSIb3DQEFCzANBAjJA+1YKCBJ3gIBZASBkGtLMjBn3cYMFnUK6m/i
            OI7UsSEKQTOZU6h8ct7I7RXheBtITaKt5diIkxYWGVo+OOB6lEEkY5qBY4cJYe+4
            DHjjOdYCToLSlIPA8xBhgTZp3Sjkh3VlYtUSkgM57FYzzI3wCAJ9bnY0vE++FAsr
            j1jLElQDXuzwBJ1qYS3FJyIJPcteixlEb1AFBFtbv5cZng==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "pbeWithSHAAnd128BitRC4",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGqMBsGCiqGSIb3DQEMAQEwDQQIBuq3tDU3fy0CAWQEgYptOfuoiDjfa15h5ZgP
            ZVeP1G2UMLWJPFq1P1AE2bWQZ3KbvxKSIDvteO5FE6bYlCXvGVlyiQxXFLxxmTj/
            seNxi1xDBoV/yZuBDs4pif65XkFZZcqFCQHHMHGoETEbfM1DqBoApIXB/y+tIzGk
            z3rGM+jnUobrLq2Bh7EzOXtjRroFZ6PCE3orkno=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "pbeWithSHAAnd40BitRC4",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGqMBsGCiqGSIb3DQEMAQIwDQQIFR6BVlbsxGACAWQEgYqCk2ZYf2P9nGHBB9im
            tOipjWcBG+iRgjFBujH8Kip+lp3LTYl5Sc/1/809C1eAek7oAX1KW98mARrjlByT
            19Fnwldiju1UZkRxk6s/TidM88m8F3+qy3Y53dZ90OxDI5UuCbtRvfZH9tda8A5U
            euWQoZ1Iu/oPsShYHKFY3kFwAdW3QfOxmTT2+6Y=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "pbeWithSHAAnd3-KeyTripleDES-CBC",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGwMBsGCiqGSIb3DQEMAQMwDQQIZyO5WLWxehkCAWQEgZDiwl6JAnB7xGGoaPNg
            65LlFlYR5Q7py0/RfU/RmACgT2y7iUBGQ7dZtMtxXNjVPqIiPTGtdjgeZ19VX62U
            W4lDd/d4ArP5vSeVhMzTJGEtNRYId4ZQWwmoJn0a8o96f5QvhBxtD6ta6eapC7Vw
            eKL9aPzzMT5aUbURL5Sq/YGpsr2EZm0TuVOrFkqpNSrlHJE=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "pbeWithSHAAnd2-KeyTripleDES-CBC",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGwMBsGCiqGSIb3DQEMAQQwDQQIZL18CUZd9BYCAWQEgZDrdrle2sRWOgcJpYVz
            2Hdd6Pd3oDVQ/QW8/M9eoqtbCykvV6af+t2GffBMJ+sFI8WgyO1jkS8m3kTSCDp/
            924KG5tTZMx+bcjE3w70B8fP9syuWBYidSEEDx/mXb479xwWl5x/KPz2M5yJ0E26
            kuAXMKEk+io6HUTUmMyHkkIznOz/h6Axz/JkzaCCBlJK4J8=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "pbeWithSHAAnd128BitRC2-CBC",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGwMBsGCiqGSIb3DQEMAQUwDQQI4x3jHeZK+zoCAWQEgZCbQPSPdH0Zo4TwmSam
            LgxvAYFgNzgNU0OLvmyuGS6bHr3Z91sPG7OhJ0DFCSo9fzfBsbJKYRiDXlcZiGfW
            JTZPU86USATpPNTfNPkjUAWhEZ2pTQWMWPaYcF9Se68tGZ4mjm87ilJnK/tQbhi2
            OTGv+OHLGDBqHhVCtXnJXUZ2T/ktjC5VQqQImHNpIXzL8OE=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "pbeWithSHAAnd40BitRC2-CBC",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGwMBsGCiqGSIb3DQEMAQYwDQQIMp8/2c02r1oCAWQEgZCLROeVRWHcyVRIQS/c
            zx83ROgkn9wDrxyWuTvV/tS238zfdK0501HOKmTqf8beIt79rz5oVrnywE948+sf
            8OePtObMrPMTGJgKqWjN1aVqNODBZl9dUuBw+biK1VWLZDvEKId/BKtFN288TtbR
            HAb9d1pfotq6L7TmOQVEmrxXwBFOnIfADF5euymdNhGTmWc=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "PBES2 with des-EDE3-CBC",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHiME0GCSqGSIb3DQEFDTBAMCgGCSqGSIb3DQEFDDAbBAifdVQOtWGeOgIBZDAM
            BggqhkiG9w0CCQUAMBQGCCqGSIb3DQMHBAhmhADUJQwFLASBkLW3q4raraXn8ZWx
            eT8kaxEkcxUvfM64oDcvhkxuOCd4CFy9vLSwxCMoAxdOcT0nBijxVfVCxKtqyouQ
            4BejbMg47SZPRSsQGxu/x4K/knMunmhDuSNv0sSi4+2uYNVYnBCm4xI8cC5slmOo
            YKQlCJFGwPIBxqY2TkY8Gzuc/bKnzM90KidUkYoGYb5bICkbug==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "PBES2 with desCBC",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHfMEoGCSqGSIb3DQEFDTA9MCgGCSqGSIb3DQEFDDAbBAhScemHlrI8qwIBZDAM
            BggqhkiG9w0CCQUAMBEGBSsOAwIHBAhG7bsD7IUZIgSBkD2EKGP2VFSs2PTZcXJd
            bD9Ns4t+jd5vxpMIBM4NIgfkssnpYBtAQ8crtxw22+ImOXfD6aUt4fhbskgl0+W8
            0TjpReWSe/JcEt7EFKlKBAd8hrrGDapk5Chn8pjZpm5l3lxC0BJUaLHP2bat06jL
            oqPZZtxw8ex/BYtVymfF7gU6szijjvK/FwS8o/QYRL5X1g==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "PBES2 with rc2CBC, 128 bits",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHqMFUGCSqGSIb3DQEFDTBIMCsGCSqGSIb3DQEFDDAeBAi9yF25Z6ePlwIBZAIB
            EDAMBggqhkiG9w0CCQUAMBkGCCqGSIb3DQMCMA0CAToECBWXo4Vr1as4BIGQrlVF
            1Tk6/gWErlq/QNSGhW+yIbFm46SXhDEsPmFWQ4f+IxpyUzogITaoCZmFoH7TsqUJ
            hpI1DnQ56oZBcS7mlsA3X8w1EUzqk2ZiQolVBIt2rJ2NQtJvQxLBRcQbhvkag/Zx
            bm5WAW+XyKgfxRYpW75gwSdqDGEE2080UGjk51q8eVr9vskURv8FlHHbjvp3
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "PBES2 with rc2CBC, 64 bits",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHqMFUGCSqGSIb3DQEFDTBIMCsGCSqGSIb3DQEFDDAeBAixLwE6hQ91MAIBZAIB
            CDAMBggqhkiG9w0CCQUAMBkGCCqGSIb3DQMCMA0CAXgECF210LaRMy1fBIGQPV3h
            0ZfX37sGZjPuRdLajXA7LpbMl7fDwfAqXVNlTDEVfHmBo8pV9YSjNzDakeGjl0Z0
            03nFIEURRXOXSAO/Knz5qPJWgD/6wJHQfDcF4cFRX+efnz5Dgeoh4aAeSVnLNLB5
            2HU0pd0VMl9FnlRsyeowEw5NHWUad+9r5yCeQ3UEwsCVn7rNbvKFNKknUdfp
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
        (
            "PBES2 with rc2CBC, 40 bits",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHrMFYGCSqGSIb3DQEFDTBJMCsGCSqGSIb3DQEFDDAeBAjeYuLl2SX6WgIBZAIB
            BTAMBggqhkiG9w0CCQUAMBoGCCqGSIb3DQMCMA4CAgCgBAiNSwp7hb+fkwSBkMNX
            WdR0JzWnJuHAyhp5Of2EPEOMYMGmArjSfXDg7v0PmbTuHH4fpV+2K8emb8ZFe4EZ
            1CyzMuKI/2C2gz8lFu/ZYt2L2z5+MVkHaW3MLI0uRiwg6hslLcQho44ibWysZr29
            KtLIBHiGqpYX4+ve7GLOHGk56VSPpcPYotKDl9EWzwqAAG5LUiHZCtxYo6Moig==
            -----END ENCRYPTED PRIVATE KEY-----
            """
        ),
    ]

    /// The P-256 key with traditional PEM encryption: `openssl ec -provider legacy -aes128 …`.
    static let traditional: [(scheme: String, pem: String)] = [
        (
            "AES-128-CBC",
            """
            -----BEGIN EC PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-128-CBC,12F1403515AC56A38A8C1D2D71FB6578

            SiJSRN47FYaBkbC1MiS2fJDoWOrBssGg7NWGONqc+55xiiOsHNKqyTJv3qXi/nL6
            5lDTc7QFO1z+lDgINy4fSIZQJNBzrhhflTX1G23RTIPrqfjkR5h+nkJVWuIunNTA
            /kaG94l1ZTsu2F247lVuTj13oV47xbb8p9LcVprxUac=
            -----END EC PRIVATE KEY-----
            """
        ),
        (
            "AES-192-CBC",
            """
            -----BEGIN EC PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-192-CBC,18A6E2AB3A80DB5C0B1DA8B93D1F4AA5

            M/5PEYXjNSUUkKCsp0JeIvF6EYnGQ783CyGzqLiX0LJXeQ1f+S4utazOWBUyaIeJ
            u8W1DGYP/gI2DgzdmAk4ADcmpxAes3xQ+b3rH4HOZSr0EvaLhuny8crFgWDnR7iS
            Z+OiJxb2pafepQk6pSs1ZODoGsUqGAngMYYbd7QFB3w=
            -----END EC PRIVATE KEY-----
            """
        ),
        (
            "AES-256-CBC",
            """
            -----BEGIN EC PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-256-CBC,F2FA87B106837FAAF5A0BC1A2DAEF69C

            5WWrpdvE2JRyYb/yHwIE0TfwunE5UEBLFxQ4Kj3dkC+KJmETvMezqukhuDkei0/l
            ezfEGI7n8y+29L9p+410b5nsrRRZ9VcysAWhrHpIwS/bO0Rp+XOm3PQQwCXbdcHr
            4pVqt6oJaKNTh5GUvCa9dy4aJ95aZ1iyN9GNAbBXxAE=
            -----END EC PRIVATE KEY-----
            """
        ),
        (
            "DES-EDE3-CBC",
            """
            -----BEGIN EC PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: DES-EDE3-CBC,CBAB7A73E51348B1

            UT7sSCjNZGpB+inZ0KM660ObNAKFCP6+aKkC+GUef9oFfGMVrMkrjRLKtxIBp9V3
            gwTqes0TEHKxvFBSvDViy2LKy18RKu08OC2lHJGsIkEM/8+BPnHG1GUINhYRXgTX
            mf94yYmqXQvK+2B8YqaM/yB/ab8PKPLlpqw8Hs5ZrH8=
            -----END EC PRIVATE KEY-----
            """
        ),
        (
            "DES-CBC",
            """
            -----BEGIN EC PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: DES-CBC,9F65F72A51E60D3E

            Gu9W8gWX4VsFITz0ekgHOWypCxq6lf1RyQtPA8HtumfO3SHq9ojOuEXo62dq+0vW
            X1GEb14hcdHIVAvhjTH+PRXbhMqO9EO/dZarlrqNSYUEYvvKj1/BXSrMNZznroYC
            JDV5gHQrUH95h4hwAFyPGhm1WNmtGUmGW1cVO8GlHg4=
            -----END EC PRIVATE KEY-----
            """
        ),
    ]
}
