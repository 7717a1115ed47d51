// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// What a test needs of a lab: a URL and an anchor.

import ChallengeLab

let lab = try await Lab.start()
print(lab.url(.expired), lab.authority)  // what to get, and what to trust
try await lab.stop()
