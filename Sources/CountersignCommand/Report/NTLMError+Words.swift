// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

extension NTLMError {
    /// What went wrong, to stand after a colon.
    var text: String { clause }
}
