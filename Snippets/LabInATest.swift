// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The URL and the anchor that a test needs from a lab.

import ChallengeLab

let lab = try await Lab.start()
print(lab.url(.expired), lab.authority)  // the URL to get, and the anchor to trust
try await lab.stop()
