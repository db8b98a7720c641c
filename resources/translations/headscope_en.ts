<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>headscope::AttentionPage</name>
    <message numerus="yes">
        <source>%n heads – %1</source>
        <translation>
            <numerusform>%n head – %1</numerusform>
            <numerusform>%n heads – %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n heads</source>
        <translation>
            <numerusform>%n head</numerusform>
            <numerusform>%n heads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::DataSlotEdit</name>
    <message numerus="yes">
        <source>%Ln sentences, %1 words each on average</source>
        <translation>
            <numerusform>%Ln sentence, %1 words each on average</numerusform>
            <numerusform>%Ln sentences, %1 words each on average</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln rows, %1 words each on average</source>
        <translation>
            <numerusform>%Ln row, %1 words each on average</numerusform>
            <numerusform>%Ln rows, %1 words each on average</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln texts, %1 words each on average</source>
        <translation>
            <numerusform>%Ln text, %1 words each on average</numerusform>
            <numerusform>%Ln texts, %1 words each on average</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::DynamicsPage</name>
    <message numerus="yes">
        <source>%1, %n head(s) closed</source>
        <translation>
            <numerusform>%1, %n head closed</numerusform>
            <numerusform>%1, %n heads closed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::ExperimentController</name>
    <message numerus="yes">
        <source>Experiment of %Ln runs</source>
        <translation>
            <numerusform>Experiment of %Ln run</numerusform>
            <numerusform>Experiment of %Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::GridContent</name>
    <message numerus="yes">
        <source>%Ln examples</source>
        <translation>
            <numerusform>%Ln example</numerusform>
            <numerusform>%Ln examples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::HeadMap</name>
    <message numerus="yes">
        <source>%Ln examples</source>
        <translation>
            <numerusform>%Ln example</numerusform>
            <numerusform>%Ln examples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::HeadMarkChart</name>
    <message numerus="yes">
        <source>%n heads; arrow keys move from one to the next</source>
        <translation>
            <numerusform>%n head; arrow keys move from one to the next</numerusform>
            <numerusform>%n heads; arrow keys move from one to the next</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::HeadlessRun</name>
    <message numerus="yes">
        <source>%Ln files written to %1</source>
        <translation>
            <numerusform>%Ln file written to %1</numerusform>
            <numerusform>%Ln files written to %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::HistogramChart</name>
    <message numerus="yes">
        <source>%n heads</source>
        <translation>
            <numerusform>%n head</numerusform>
            <numerusform>%n heads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::Inspector</name>
    <message numerus="yes">
        <source>best fixed offset %1, %Ln instances</source>
        <translation>
            <numerusform>best fixed offset %1, %Ln instance</numerusform>
            <numerusform>best fixed offset %1, %Ln instances</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>by chance %1, %Ln instances</source>
        <translation>
            <numerusform>by chance %1, %Ln instance</numerusform>
            <numerusform>by chance %1, %Ln instances</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::LayersPage</name>
    <message numerus="yes">
        <source>%Ln examples</source>
        <translation>
            <numerusform>%Ln example</numerusform>
            <numerusform>%Ln examples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::MainWindow</name>
    <message numerus="yes">
        <source>%Ln results complete</source>
        <translation>
            <numerusform>%Ln result complete</numerusform>
            <numerusform>%Ln results complete</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln being computed</source>
        <translation>
            <numerusform>%Ln being computed</numerusform>
            <numerusform>%Ln being computed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln stopped</source>
        <translation>
            <numerusform>%Ln stopped</numerusform>
            <numerusform>%Ln stopped</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::MatrixChart</name>
    <message numerus="yes">
        <source>%n heads; arrow keys move between pairs</source>
        <translation>
            <numerusform>%n head; arrow keys move between pairs</numerusform>
            <numerusform>%n heads; arrow keys move between pairs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::MixingChart</name>
    <message numerus="yes">
        <source>%n column(s), ordered by the head that uses them most; dark: used most</source>
        <translation>
            <numerusform>%n column, ordered by the head that uses them most; dark: used most</numerusform>
            <numerusform>%n columns, ordered by the head that uses them most; dark: used most</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::ModelsPage</name>
    <message numerus="yes">
        <source>%Ln results. A head is needed if the score falls below 99 % without it and all that went before; r compares the heads with those on the model&apos;s first data set.</source>
        <translation>
            <numerusform>%Ln result. A head is needed if the score falls below 99 % without it and all that went before; r compares the heads with those on the model&apos;s first data set.</numerusform>
            <numerusform>%Ln results. A head is needed if the score falls below 99 % without it and all that went before; r compares the heads with those on the model&apos;s first data set.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln files are results that this version does not know.</source>
        <translation>
            <numerusform>%Ln file is a result that this version does not know.</numerusform>
            <numerusform>%Ln files are results that this version does not know.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::NeededBar</name>
    <message numerus="yes">
        <source>%n of %1 heads keep %2</source>
        <translation>
            <numerusform>%n of %1 heads keeps %2</numerusform>
            <numerusform>%n of %1 heads keep %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>without %n of %1 heads: %2</source>
        <translation>
            <numerusform>without %n of %1 heads: %2</numerusform>
            <numerusform>without %n of %1 heads: %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::RemovableHeads</name>
    <message numerus="yes">
        <source>cannot be told with %Ln examples</source>
        <translation>
            <numerusform>cannot be told with %Ln example</numerusform>
            <numerusform>cannot be told with %Ln examples</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>up to %Ln heads for less than %1</source>
        <translation>
            <numerusform>up to %Ln head for less than %1</numerusform>
            <numerusform>up to %Ln heads for less than %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>first significant loss at %Ln heads</source>
        <translation>
            <numerusform>first significant loss at %Ln head</numerusform>
            <numerusform>first significant loss at %Ln heads</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>no significant loss up to %Ln heads</source>
        <translation>
            <numerusform>no significant loss up to %Ln head</numerusform>
            <numerusform>no significant loss up to %Ln heads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::RoleEvidenceView</name>
    <message numerus="yes">
        <source>Passes the thresholds, but rests on only %Ln instances.</source>
        <translation>
            <numerusform>Passes the thresholds, but rests on only %Ln instance.</numerusform>
            <numerusform>Passes the thresholds, but rests on only %Ln instances.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Largest weights of %Ln queries.</source>
        <translation>
            <numerusform>Largest weights of %Ln query.</numerusform>
            <numerusform>Largest weights of %Ln queries.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::Sharing</name>
    <message numerus="yes">
        <source>%n head(s) removed</source>
        <translation>
            <numerusform>%n head removed</numerusform>
            <numerusform>%n heads removed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n column(s), %1</source>
        <translation>
            <numerusform>%n column, %1</numerusform>
            <numerusform>%n columns, %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::SpeedModel</name>
    <message numerus="yes">
        <source>%n repeat(s): median %1 examples/s, middle half %2 to %3; %4 %5 per second</source>
        <translation>
            <numerusform>%n repeat: median %1 examples/s, middle half %2 to %3; %4 %5 per second</numerusform>
            <numerusform>%n repeats: median %1 examples/s, middle half %2 to %3; %4 %5 per second</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::StudyPanel</name>
    <message numerus="yes">
        <source>at most %Ln tokens</source>
        <translation>
            <numerusform>at most %Ln token</numerusform>
            <numerusform>at most %Ln tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n min ago</source>
        <translation>
            <numerusform>%n min ago</numerusform>
            <numerusform>%n min ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n h ago</source>
        <translation>
            <numerusform>%n h ago</numerusform>
            <numerusform>%n h ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln text pairs</source>
        <translation>
            <numerusform>%Ln text pair</numerusform>
            <numerusform>%Ln text pairs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::StudyState</name>
    <message numerus="yes">
        <source>%Ln heads</source>
        <translation>
            <numerusform>%Ln head</numerusform>
            <numerusform>%Ln heads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::TablePainter</name>
    <message numerus="yes">
        <source>… and %Ln more rows</source>
        <translation>
            <numerusform>… and %Ln more row</numerusform>
            <numerusform>… and %Ln more rows</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::TrainingPage</name>
    <message numerus="yes">
        <source>Trained on %Ln examples.</source>
        <translation>
            <numerusform>Trained on %Ln example.</numerusform>
            <numerusform>Trained on %Ln examples.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::TrainingText</name>
    <message numerus="yes">
        <source>&lt;b&gt;Finished&lt;/b&gt; after %Ln epochs</source>
        <translation>
            <numerusform>&lt;b&gt;Finished&lt;/b&gt; after %Ln epoch</numerusform>
            <numerusform>&lt;b&gt;Finished&lt;/b&gt; after %Ln epochs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>&lt;b&gt;Stopped early&lt;/b&gt; after %Ln epochs: validation had stopped improving</source>
        <translation>
            <numerusform>&lt;b&gt;Stopped early&lt;/b&gt; after %Ln epoch: validation had stopped improving</numerusform>
            <numerusform>&lt;b&gt;Stopped early&lt;/b&gt; after %Ln epochs: validation had stopped improving</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln examples</source>
        <translation>
            <numerusform>%Ln example</numerusform>
            <numerusform>%Ln examples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::WindowFiles</name>
    <message numerus="yes">
        <source>Replace %n file(s) in this folder?</source>
        <translation>
            <numerusform>Replace %n file in this folder?</numerusform>
            <numerusform>Replace %n files in this folder?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln files written to %1</source>
        <translation>
            <numerusform>%Ln file written to %1</numerusform>
            <numerusform>%Ln files written to %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::Work</name>
    <message numerus="yes">
        <source>about %Ln seconds</source>
        <translation>
            <numerusform>about %Ln second</numerusform>
            <numerusform>about %Ln seconds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln minutes</source>
        <translation>
            <numerusform>about %Ln minute</numerusform>
            <numerusform>about %Ln minutes</numerusform>
        </translation>
    </message>
</context>
</TS>
