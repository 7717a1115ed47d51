// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// Nothing reads standard output any more.
package struct OutputClosed: Error {}

extension OutputClosed: CataloguedError {
    package var explanation: ErrorExplanation {
        ErrorExplanation(
            "output.closed", "Standard output was closed.",
            reason: "The program that read it, such as head, has ended.", advice: "Write to a file to keep everything.")
    }

    package static var examples: [OutputClosed] { [OutputClosed()] }
}
