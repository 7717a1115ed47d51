// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension ServiceDescription {
    /// Reads a description and all documents that it imports.
    ///
    /// - Parameters:
    ///   - identifier: The path or URL of a document of WSDL 1.1, or of XML Schema.
    ///   - source: Where documents come from.
    ///   - options: Which of them are read.
    /// - Returns: The services, and the schema with every reference resolved.
    /// - Throws: ``WSDLCompilerError``.
    package static func read(
        _ identifier: String, from source: some DocumentSource, options: DescriptionOptions = DescriptionOptions()
    ) async throws(WSDLCompilerError) -> ServiceDescription {
        let collection = try await DocumentLoader(source: source, options: options).load(identifier)
        return try DescriptionBuilder(collection, options: options).build(identifier)
    }
}
