// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import PackagePlugin

/// Makes a client for each service description (`*.wsdl`) of a target.
///
/// Documents beside it that it imports (`*.wsdl`, `*.xsd`) are its inputs too. Settings stand in `wsdl-generator.json`.
@main
struct WSDLPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let tool = try context.tool(named: "WSDLGenerator").url
        let files = module.sourceFiles.map(\.url).sorted { $0.path < $1.path }
        let configuration = files.first { $0.lastPathComponent == "wsdl-generator.json" }
        let documents = files.filter { ["wsdl", "xsd"].contains($0.pathExtension.lowercased()) }
        return documents.filter { $0.pathExtension.lowercased() == "wsdl" }.map { description in
            let name = description.deletingPathExtension().lastPathComponent + ".wsdl.swift"
            let folder = context.pluginWorkDirectoryURL
            var arguments = ["--access", "internal", "--single-file", name, "--output", folder.path]
            if let configuration { arguments += ["--configuration", configuration.path] }
            return .buildCommand(
                displayName: "Making Swift of \(description.lastPathComponent)", executable: tool,
                arguments: arguments + [description.path], inputFiles: documents + (configuration.map { [$0] } ?? []),
                outputFiles: [folder.appending(component: name)])
        }
    }
}
