// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ErrorChecks
import ErrorExplanations
import Testing

@Suite struct ExplanationTests {
    @Test("Every error explains itself under a unique code") func explanations() {
        #expect(problems(of: CertificateAuthorityError.examples) == [])
        #expect(problems(of: CertificateRequestError.examples) == [])
    }
}
