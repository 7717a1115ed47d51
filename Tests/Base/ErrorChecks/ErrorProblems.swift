// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// Returns the missing or malformed parts of explanations: the code, the message, the reason and the advice.
///
/// - Parameter examples: A value for each code of one type.
/// - Returns: A sentence for each problem; none if each example has a unique code and texts that follow the rules.
package func problems<Value: CataloguedError>(of examples: [Value]) -> [String] {
    var codes: Set<String> = []
    return examples.flatMap { example in
        let explanation = example.explanation
        let texts = [explanation.message, explanation.reason, explanation.advice]
        var problems: [String] = []
        if explanation.code.wholeMatch(of: /[a-z][a-z0-9-]*\.[a-z0-9-]+/) == nil { problems.append("a malformed code") }
        if !codes.insert(explanation.code).inserted { problems.append("a second example of the code") }
        if explanation.message.prefixMatch(of: /[A-Z"]/) == nil {
            problems.append("a message that begins in lower case")
        }
        if texts.contains(where: { !$0.hasSuffix(".") }) { problems.append("a text without a full stop") }
        if texts.contains(where: { $0.contains(/(^| )--[a-z]|countersign/) }) {
            problems.append("a text of the command")
        }
        if "\(example)" != explanation.text { problems.append("a description that differs") }
        return problems.map { "\(explanation.code): \($0): \(explanation.text)" }
    }
}
