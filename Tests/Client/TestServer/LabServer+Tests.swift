// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ChallengeLab

extension LabServer.Kind {
    /// The servers that the tests use; a complete lab has three times as many ports.
    package static let usedByTests: Set<Self> = [
        .plainHTTP, .goodHTTPS, .address, .selfSigned, .unknownRoot, .expired, .notYetValid, .wrongHost,
        .missingIntermediate, .pathTooLong, .tls12, .tls13, .clientCertificateRequired, .clientCertificateWanted,
        .untrustedAndClientCertificateRequired, .basic, .digestMD5, .digestSHA256, .digestSHA512Half, .digestAuthInt,
        .digestNextNonce, .scramSHA256, .bearer, .ntlm, .wrongPasswordForever, .proxyOpen, .proxyBasic, .proxyDigest,
        .proxyNTLM, .proxyTLS, .proxySOCKS, .proxySOCKSPassword, .redirect, .endlessRedirect, .cookie, .range, .gzip,
        .deflate, .slowBody, .truncatedBody, .truncatedGzip, .closed, .reset, .twoLengths, .lengthAndChunks,
        .endlessField, .endlessInterim,
    ]
}
