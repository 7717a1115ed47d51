// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// What a test needs of a lab: a URL and an anchor.

import ChallengeLab

let lab = try await Lab.start()
print(lab.url(.expired), lab.authority)  // the URL to request, and the certificate to trust
try await lab.stop()
