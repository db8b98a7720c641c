// The window on a translation model: on the real one where there is one, otherwise on a small one with fixed random
// weights.
#include "tests/support/shareddata.h"
#include "tests/support/tinymodel.h"
#include "tests/support/windowtest.h"

#include <QTest>

using namespace headscope;

class TestWindow : public testing::WindowTest
{
    Q_OBJECT
protected:
    Material material(const QString &folder) override;
};

TestWindow::Material TestWindow::material(const QString &folder)
{
    Material material;
    material.run.decoding.beams = 1;
    const auto real = sharedData("models/marian-multi30k-en-fr");
    const auto corpus = sharedData("data/multi30k");
    if (!real.empty() && !corpus.empty()) {
        material.model = QString::fromStdString(real.string());
        const char *names[] = {"test_2016_flickr", "test_2017_mscoco"};
        for (std::size_t i = 0; i < 2; ++i) {
            material.data[i].source = (corpus / (std::string(names[i]) + ".en.gz")).string();
            material.data[i].reference = (corpus / (std::string(names[i]) + ".fr.gz")).string();
        }
        return material;
    }
    qInfo("The real model is not here (HEADSCOPE_SHARED): a small random one is used.");
    material.model = folder + QStringLiteral("/tiny-model");
    testing::writeTinyModel(material.model.toStdString());
    for (std::size_t i = 0; i < 2; ++i) {
        DataSource &data = material.data[i];
        data.source = folder.toStdString() + (i == 0 ? "/in.src" : "/out.src");
        data.reference = folder.toStdString() + (i == 0 ? "/in.ref" : "/out.ref");
        testing::writeTinyCorpus(data.source, data.reference, 40, 7 + i);
    }
    return material;
}

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
