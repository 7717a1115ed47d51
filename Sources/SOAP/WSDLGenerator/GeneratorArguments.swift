// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import WSDLCompiler

/// The command-line arguments of the tool.
///
/// The usage is `[--configuration JSON] [--access LEVEL] [--single-file NAME] --output FOLDER DESCRIPTION`.
struct GeneratorArguments {
    /// The path of the description.
    private(set) var description = ""
    /// The output folder.
    private(set) var folder = ""
    private(set) var options = GenerationOptions()
    private(set) var reading = DescriptionOptions()

    init(_ arguments: [String]) throws {
        var remaining = arguments[...]
        func value(of option: String) throws -> String {
            guard let value = remaining.popFirst() else { throw GeneratorFailure("\(option) has no value") }
            return value
        }
        while let argument = remaining.popFirst() {
            switch argument {
            case "--output": folder = try value(of: argument)
            case "--single-file": options.singleFile = try value(of: argument)
            case "--access": try setAccess(value(of: argument))
            case "--configuration": try configure(value(of: argument))
            case _ where argument.hasPrefix("-"): throw GeneratorFailure("there is no option \(argument)")
            case _ where !description.isEmpty: throw GeneratorFailure("there is more than one description")
            default: description = argument
            }
        }
        guard !description.isEmpty, !folder.isEmpty else {
            throw GeneratorFailure(
                "usage: WSDLGenerator [--configuration JSON] [--access LEVEL] [--single-file NAME] --output FOLDER DESCRIPTION"
            )
        }
        if options.enclosure != nil {
            // The output file's name is unique even if several folders have descriptions of the same name.
            let suffix = ".wsdl.swift"
            let file = options.singleFile.flatMap { $0.hasSuffix(suffix) ? $0.dropLast(suffix.count) : nil }.map(
                String.init)
            let name = URL(fileURLWithPath: description).deletingPathExtension().lastPathComponent
            options.enclosure = SwiftGenerator.typeName(file ?? name)
        }
    }

    private mutating func setAccess(_ name: String) throws {
        guard let access = GenerationOptions.Access(rawValue: name) else {
            throw GeneratorFailure("there is no access level \(name)")
        }
        options.access = access
    }

    /// Reads a target's configuration file.
    private mutating func configure(_ path: String) throws {
        let url = URL(fileURLWithPath: path)
        let configuration: GeneratorConfiguration
        do {
            configuration = try JSONDecoder().decode(GeneratorConfiguration.self, from: Data(contentsOf: url))
        } catch {
            throw GeneratorFailure("\(path) is not valid: \(error)")
        }
        if let access = configuration.access { try setAccess(access) }
        if configuration.encloses == true { options.enclosure = "" }
        options.imports = configuration.imports ?? []
        let base = url.deletingLastPathComponent()
        for (document, file) in configuration.catalogue ?? [:] {
            reading.catalogue[document] = URL(fileURLWithPath: file, relativeTo: base).path
        }
    }
}

/// The configuration in `wsdl-generator.json`.
///
/// The plugin reads `descriptions`, the paths of the descriptions for which clients are generated.
private struct GeneratorConfiguration: Decodable {
    /// The access level: `internal`, `package` or `public`.
    var access: String?
    /// Whether each description's types are nested in an enum named after its file, for targets with
    /// several descriptions.
    var encloses: Bool?
    /// Modules that the generated code imports.
    var imports: [String]?
    /// The files to read in place of documents imported by URL, relative to the configuration's folder.
    var catalogue: [String: String]?
}
