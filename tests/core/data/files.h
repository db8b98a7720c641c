#pragma once

#include "core/data/dataset.h"
#include "core/formats/atomicfile.h"

#include <QTemporaryDir>

#include <filesystem>
#include <string>

/// Data sets in files that live as long as a test.
namespace headscope::testing {

class Files
{
public:
    std::string write(const std::string &name, const std::string &bytes) const
    {
        const auto path = std::filesystem::path(m_folder.path().toStdString()) / name;
        (void)writeFileAtomically(path, bytes).valueOrThrow();
        return path.string();
    }

    DataSource parallel(const std::string &source, const std::string &reference) const
    {
        DataSource data;
        data.source = write("set.en", source);
        data.reference = write("set.fr", reference);
        return data;
    }

    DataSource table(const std::string &name, const std::string &bytes) const
    {
        DataSource data;
        data.table = write(name, bytes);
        return data;
    }

private:
    QTemporaryDir m_folder;
};

inline Dataset read(const DataSource &source)
{
    return readDataset(source).valueOrThrow();
}

inline std::string errorOf(const DataSource &source)
{
    const auto dataset = readDataset(source);
    return dataset.isError() ? dataset.error().message : std::string("no error");
}

inline bool has(const std::string &text, const std::string &part)
{
    if (text.find(part) != std::string::npos)
        return true;
    qWarning("\"%s\" is not in \"%s\"", part.c_str(), text.c_str());
    return false;
}

} // namespace headscope::testing
