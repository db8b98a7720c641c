<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr" sourcelanguage="en">
<context>
    <name>headscope::AboutDialog</name>
    <message>
        <source>About Headscope</source>
        <translation>À propos de Headscope</translation>
    </message>
    <message>
        <source>&lt;h2&gt;Headscope&lt;/h2&gt;&lt;p&gt;What the attention heads of a trained Transformer do, and which of them are needed.&lt;/p&gt;&lt;p&gt;Free software under the GNU General Public License, version 3 or later.&lt;/p&gt;</source>
        <translation>&lt;h2&gt;Headscope&lt;/h2&gt;&lt;p&gt;Ce que font les têtes d’attention d’un Transformer entraîné, et lesquelles sont nécessaires.&lt;/p&gt;&lt;p&gt;Logiciel libre sous licence publique générale GNU (GPL), version 3 ou ultérieure.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>System information</source>
        <translation>Informations système</translation>
    </message>
    <message>
        <source>Copy system information</source>
        <translation>Copier les informations système</translation>
    </message>
</context>
<context>
    <name>headscope::AnalysesPage</name>
    <message>
        <source>Anal&amp;yses</source>
        <translation>Anal&amp;yses</translation>
    </message>
    <message>
        <source>Data set</source>
        <translation>Jeu de données</translation>
    </message>
    <message>
        <source>The data set that the result is of</source>
        <translation>Le jeu de données sur lequel porte le résultat</translation>
    </message>
    <message>
        <source>Result of the analysis</source>
        <translation>Résultat de l’analyse</translation>
    </message>
    <message>
        <source>Analysis</source>
        <translation>Analyse</translation>
    </message>
    <message>
        <source>&amp;Compute</source>
        <translation>&amp;Calculer</translation>
    </message>
    <message>
        <source>Options of the analysis</source>
        <translation>Options de l’analyse</translation>
    </message>
    <message>
        <source>Choose a data set first.</source>
        <translation>Choisir d’abord un jeu de données.</translation>
    </message>
    <message>
        <source>This analysis needs data with references or labels.</source>
        <translation>Cette analyse nécessite des données avec références ou étiquettes.</translation>
    </message>
    <message>
        <source>This model has no attention heads left.</source>
        <translation>Ce modèle n’a plus de têtes d’attention.</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;, %2</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;, %2</translation>
    </message>
    <message>
        <source>Not computed yet. Choose options, then press Compute.</source>
        <translation>Pas encore calculé. Choisir les options, puis appuyer sur Calculer.</translation>
    </message>
    <message>
        <source>Computes this analysis with these options on the chosen data set</source>
        <translation>Calcule cette analyse avec ces options sur le jeu de données choisi</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>No head is masked.</source>
        <translation>Aucune tête n’est masquée.</translation>
    </message>
    <message>
        <source>Masked: %1.</source>
        <translation>Masquées&#xa0;: %1.</translation>
    </message>
    <message>
        <source>%1 of %2 examples.</source>
        <translation>%1 exemples sur %2.</translation>
    </message>
    <message>
        <source>S&amp;horter…</source>
        <translation>Plus cou&amp;rt…</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>Model %1, data %2, computed %3.</source>
        <translation>Modèle %1, données %2, calculé le %3.</translation>
    </message>
</context>
<context>
    <name>headscope::AnalysisForm</name>
    <message>
        <source>Under the present mask</source>
        <translation>Sous le masque actuel</translation>
    </message>
    <message>
        <source>The masked heads are off all the while</source>
        <translation>Les têtes masquées sont désactivées tout du long</translation>
    </message>
    <message>
        <source>With the other data set (%1)</source>
        <translation>Avec l’autre jeu de données (%1)</translation>
    </message>
    <message>
        <source>usual</source>
        <translation>habituel</translation>
    </message>
</context>
<context>
    <name>headscope::AttentionControls</name>
    <message>
        <source>View</source>
        <translation>Vue</translation>
    </message>
    <message>
        <source>heat map</source>
        <translation>carte</translation>
    </message>
    <message>
        <source>lines</source>
        <translation>lignes</translation>
    </message>
    <message>
        <source>all heads</source>
        <translation>vignettes</translation>
    </message>
    <message>
        <source>neurons</source>
        <translation>neurones</translation>
    </message>
    <message>
        <source>The weights of the current head</source>
        <translation>Les poids de la tête courante</translation>
    </message>
    <message>
        <source>Lines from queries to keys, of the selected heads (Vig 2019)</source>
        <translation>Lignes des requêtes aux clés, pour les têtes sélectionnées (Vig 2019)</translation>
    </message>
    <message>
        <source>Thumbnails of every head (Vig 2019)</source>
        <translation>Vignettes de toutes les têtes (Vig 2019)</translation>
    </message>
    <message>
        <source>Query, keys, their products and scores of the current head, for one token (Vig 2019)</source>
        <translation>Requête, clés, leurs produits et scores de la tête courante, pour un token (Vig 2019)</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Tête</translation>
    </message>
    <message>
        <source>The head whose attention is shown</source>
        <translation>La tête dont l’attention est affichée</translation>
    </message>
    <message>
        <source>Target sentence</source>
        <translation>Phrase cible</translation>
    </message>
    <message>
        <source>own output</source>
        <translation>propre sortie</translation>
    </message>
    <message>
        <source>reference</source>
        <translation>référence</translation>
    </message>
    <message>
        <source>The output that the decoder is forced to while its attention is read: the model&apos;s own output, or the reference</source>
        <translation>Ce que l’on fait dire au décodeur pendant la lecture de son attention&#xa0;: la propre sortie du modèle, ou la référence</translation>
    </message>
    <message>
        <source>Texts of the pair</source>
        <translation>Textes de la paire</translation>
    </message>
    <message>
        <source>all tokens</source>
        <translation>tous les tokens</translation>
    </message>
    <message>
        <source>A → A</source>
        <translation>A → A</translation>
    </message>
    <message>
        <source>A → B</source>
        <translation>A → B</translation>
    </message>
    <message>
        <source>B → A</source>
        <translation>B → A</translation>
    </message>
    <message>
        <source>B → B</source>
        <translation>B → B</translation>
    </message>
    <message>
        <source>Weights or norms</source>
        <translation>Poids ou normes</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>poids</translation>
    </message>
    <message>
        <source>norms</source>
        <translation>normes</translation>
    </message>
    <message>
        <source>rollout</source>
        <translation>rollout</translation>
    </message>
    <message>
        <source>rollout of norms</source>
        <translation>rollout des normes</translation>
    </message>
    <message>
        <source>&amp;Join words</source>
        <translation>&amp;Joindre les mots</translation>
    </message>
    <message>
        <source>Weights are summed over the pieces of a key word and averaged over those of a query word</source>
        <translation>Les poids sont additionnés sur les sous-mots d’un mot côté clé et moyennés sur ceux d’un mot côté requête</translation>
    </message>
    <message>
        <source>&amp;Hide special</source>
        <translation>Sans &amp;spéciaux</translation>
    </message>
    <message>
        <source>Weights are not rescaled: the sum over hidden tokens is shown in a separate column</source>
        <translation>Les poids ne sont pas renormalisés&#xa0;: ce que reçoivent les tokens cachés figure dans une colonne à part</translation>
    </message>
    <message>
        <source>&amp;Tree</source>
        <translation>Ar&amp;bre</translation>
    </message>
    <message>
        <source>Parts of speech and dependencies of the source. Arrows point to heads; arrows of the word under the mouse are highlighted</source>
        <translation>Catégories grammaticales et dépendances de la source. Les flèches pointent vers les gouverneurs&#xa0;; celles du mot sous la souris ressortent</translation>
    </message>
    <message>
        <source>Side &amp;by side</source>
        <translation>&amp;Côte à côte</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Couleurs</translation>
    </message>
    <message>
        <source>0 to 1</source>
        <translation>0 à 1</translation>
    </message>
    <message>
        <source>to the maximum</source>
        <translation>au maximum</translation>
    </message>
    <message>
        <source>row by row</source>
        <translation>ligne par ligne</translation>
    </message>
    <message>
        <source>The weight that has the darkest colour: 1, the largest of all, or the largest of each row</source>
        <translation>Le poids qui a la couleur la plus foncée : 1, le plus grand de tous, ou le plus grand de chaque ligne</translation>
    </message>
    <message>
        <source>Lines &amp;from</source>
        <translation>Lignes &amp;dès</translation>
    </message>
    <message>
        <source>Least weight of a line</source>
        <translation>Plus petit poids d’une ligne</translation>
    </message>
    <message>
        <source>Weights below this have no line</source>
        <translation>Les poids inférieurs n’ont pas de ligne</translation>
    </message>
    <message>
        <source>Keeps the current view on the left: another head, sentence or mask is shown beside it</source>
        <translation>Garde la vue actuelle à gauche : une autre tête, phrase ou un autre masque s’affiche à côté</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Cible</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>Textes</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Poids</translation>
    </message>
</context>
<context>
    <name>headscope::AttentionPage</name>
    <message>
        <source>&amp;Attention</source>
        <translation>Atte&amp;ntion</translation>
    </message>
    <message>
        <source>Text of your own</source>
        <translation>Texte libre</translation>
    </message>
    <message>
        <source>second text, if there is one</source>
        <translation>second texte, s’il y en a un</translation>
    </message>
    <message>
        <source>Second text of your own</source>
        <translation>Second texte libre</translation>
    </message>
    <message>
        <source>Texts and outputs</source>
        <translation>Textes et sorties</translation>
    </message>
    <message>
        <source>Or type a sentence and press Enter</source>
        <translation>Ou saisir une phrase et appuyer sur Entrée</translation>
    </message>
    <message>
        <source>Or type a text and press Enter</source>
        <translation>Ou saisir un texte et appuyer sur Entrée</translation>
    </message>
    <message>
        <source>Which tokens attend (→) to which: A is the first text, B the second. Attention to other tokens is shown in a separate column.</source>
        <translation>Quels tokens regardent (→) lesquels&#xa0;: A est le premier texte, B le second. Ce qui va ailleurs figure dans une colonne à part.</translation>
    </message>
    <message>
        <source>This example has one text only</source>
        <translation>Cet exemple n’a qu’un seul texte</translation>
    </message>
    <message>
        <source>Norms: every weight times the length of the value vector that it lets through, divided by their sum (Kobayashi et al. 2020). Rollout: what reaches a token of self-attention through all heads of this layer and those before it (Abnar and Zuidema 2020)</source>
        <translation>Normes&#xa0;: chaque poids multiplié par la longueur du vecteur valeur qu’il laisse passer, divisé par leur somme (Kobayashi et al. 2020). Rollout&#xa0;: ce qui atteint un token d’auto-attention à travers toutes les têtes de cette couche et des précédentes (Abnar et Zuidema 2020)</translation>
    </message>
    <message>
        <source>The lengths of the value vectors are not known for this map.</source>
        <translation>Les longueurs des vecteurs valeur ne sont pas connues pour cette carte.</translation>
    </message>
    <message>
        <source>No model is open. Open a model folder to see what its heads attend to.</source>
        <translation>Aucun modèle n’est ouvert. Ouvrir un dossier de modèle pour voir ce que regardent ses têtes.</translation>
    </message>
    <message>
        <source>Choose a data set, or type a text above and press Enter.</source>
        <translation>Choisir un jeu de données, ou saisir un texte ci-dessus et appuyer sur Entrée.</translation>
    </message>
    <message>
        <source>Choose an example on the left, or type one above and press Enter.</source>
        <translation>Choisir un exemple à gauche, ou en saisir un ci-dessus et appuyer sur Entrée.</translation>
    </message>
    <message>
        <source>Choose a head above, or click one in the grid.</source>
        <translation>Choisir une tête ci-dessus, ou cliquer sur une tête de la grille.</translation>
    </message>
    <message>
        <source>Computing the neurons…</source>
        <translation>Calcul des neurones…</translation>
    </message>
    <message>
        <source>Computing the rollout…</source>
        <translation>Calcul du rollout…</translation>
    </message>
    <message>
        <source>There is no attention map of %1 for this example.</source>
        <translation>Il n’y a pas de carte d’attention de %1 pour cet exemple.</translation>
    </message>
    <message>
        <source>target (what the decoder has read)</source>
        <translation>cible (ce que le décodeur a lu)</translation>
    </message>
    <message>
        <source>source</source>
        <translation>source</translation>
    </message>
    <message>
        <source>text</source>
        <translation>texte</translation>
    </message>
    <message>
        <source>text A</source>
        <translation>texte A</translation>
    </message>
    <message>
        <source>text B</source>
        <translation>texte B</translation>
    </message>
    <message>
        <source>%1, rollout through layers 0 to %2</source>
        <translation>%1, rollout à travers les couches 0 à %2</translation>
    </message>
    <message>
        <source>model says %1</source>
        <translation>le modèle dit %1</translation>
    </message>
    <message>
        <source>queries ↓ %1</source>
        <translation>requêtes ↓ %1</translation>
    </message>
    <message>
        <source>keys → %1</source>
        <translation>clés → %1</translation>
    </message>
    <message>
        <source>attention rollout (each row sums to 1)</source>
        <translation>rollout d’attention (somme de chaque ligne&#xa0;: 1)</translation>
    </message>
    <message>
        <source>weight × value norm (each row sums to 1)</source>
        <translation>poids × norme de la valeur (somme de chaque ligne&#xa0;: 1)</translation>
    </message>
    <message>
        <source>attention weight (each row sums to 1)</source>
        <translation>poids d’attention (somme de chaque ligne&#xa0;: 1)</translation>
    </message>
    <message>
        <source>queries: %1</source>
        <translation>requêtes&#xa0;: %1</translation>
    </message>
    <message>
        <source>keys: %1</source>
        <translation>clés&#xa0;: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n heads – %1</source>
        <translation>
            <numerusform>%n tête – %1</numerusform>
            <numerusform>%n têtes – %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Attention of %1</source>
        <translation>Attention de %1</translation>
    </message>
    <message>
        <source>Attention rollout: %1%2 on %3. Rows are queries, columns keys; each row sums to 1%4.</source>
        <translation>Rollout d’attention&#xa0;: %1%2 sur %3. Les lignes sont les requêtes, les colonnes les clés&#xa0;; la somme de chaque ligne vaut 1%4.</translation>
    </message>
    <message>
        <source>Norm-weighted attention of %1%2 on %3. Rows are queries, columns keys; each row sums to 1%4.</source>
        <translation>Attention pondérée par la norme de %1%2 sur %3. Les lignes sont les requêtes, les colonnes les clés&#xa0;; la somme de chaque ligne vaut 1%4.</translation>
    </message>
    <message>
        <source>Attention weights of %1%2 on %3. Rows are queries, columns keys; each row sums to 1%4.</source>
        <translation>Poids d’attention de %1%2 sur %3. Les lignes sont les requêtes, les colonnes les clés&#xa0;; la somme de chaque ligne vaut 1%4.</translation>
    </message>
    <message>
        <source> (masked)</source>
        <translation> (masquée)</translation>
    </message>
    <message>
        <source> with the column of hidden tokens</source>
        <translation> avec la colonne des tokens cachés</translation>
    </message>
    <message>
        <source> and “%1”</source>
        <translation> et «&#xa0;%1&#xa0;»</translation>
    </message>
    <message>
        <source> → “%1”</source>
        <translation> → «&#xa0;%1&#xa0;»</translation>
    </message>
    <message>
        <source>Attention as lines, %1</source>
        <translation>Attention en lignes, %1</translation>
    </message>
    <message>
        <source>Attention of %1 on %2: a line from every query (left) to every key (right), as strong as its weight by the number of heads.</source>
        <translation>Attention de %1 sur %2&#xa0;: une ligne de chaque requête (à gauche) à chaque clé (à droite), d’intensité égale à son poids divisé par le nombre de têtes.</translation>
    </message>
    <message>
        <source>Attention of all heads</source>
        <translation>Attention de toutes les têtes</translation>
    </message>
    <message>
        <source>Attention of every head on %1: rows are layers, rows of a thumbnail queries, columns keys.</source>
        <translation>Attention de chaque tête sur %1&#xa0;: les lignes sont les couches&#xa0;; dans une vignette, les lignes sont les requêtes, les colonnes les clés.</translation>
    </message>
    <message>
        <source>Neurons of %1</source>
        <translation>Neurones de %1</translation>
    </message>
    <message>
        <source>How %1 comes to its attention from “%2” on %3: the query&apos;s vector above, keys below it, their products element by element, logits and softmax. Colours are tanh(x / 4).</source>
        <translation>Comment %1 obtient son attention depuis «&#xa0;%2&#xa0;» sur %3&#xa0;: le vecteur de la requête en haut, les clés en dessous, leurs produits élément par élément, les logits et le softmax. Les couleurs sont tanh(x / 4).</translation>
    </message>
    <message>
        <source>nothing yet</source>
        <translation>rien pour l’instant</translation>
    </message>
    <message>
        <source>%1, no head masked</source>
        <translation>%1, aucune tête masquée</translation>
    </message>
    <message numerus="yes">
        <source>%n heads</source>
        <translation>
            <numerusform>%n tête</numerusform>
            <numerusform>%n têtes</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, without %2</source>
        <translation>%1, sans %2</translation>
    </message>
    <message>
        <source>%1, beside</source>
        <translation>%1, à côté</translation>
    </message>
    <message>
        <source>confidence %1</source>
        <translation>confiance %1</translation>
    </message>
    <message>
        <source>Roles are not computed yet: page Roles.</source>
        <translation>Les rôles ne sont pas encore calculés : page Rôles.</translation>
    </message>
    <message>
        <source>No role passes the thresholds of the page Roles.</source>
        <translation>Aucun rôle ne passe les seuils de la page Rôles.</translation>
    </message>
    <message>
        <source>%1: %2 of %3 instances, %4 by chance</source>
        <translation>%1 : %2 de %3 occurrences, %4 par hasard</translation>
    </message>
    <message>
        <source>weight, as a share of the largest one in its row</source>
        <translation>poids, en part du plus grand de sa ligne</translation>
    </message>
    <message>
        <source>Sentences</source>
        <translation>Phrases</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Chercher</translation>
    </message>
    <message>
        <source>Searches the data set for the sentences in which the head attends most to a token, a part of speech or an offset</source>
        <translation>Cherche dans le jeu de données les phrases où la tête porte le plus d’attention à un jeton, une catégorie grammaticale ou un décalage</translation>
    </message>
    <message>
        <source>keeps the output</source>
        <translation>conserve la sortie</translation>
    </message>
    <message>
        <source>changes the output</source>
        <translation>change la sortie</translation>
    </message>
    <message>
        <source>Marked: %1.</source>
        <translation>Marquées : %1.</translation>
    </message>
</context>
<context>
    <name>headscope::AttentionViews</name>
    <message>
        <source>Head on this side</source>
        <translation>Tête de ce côté</translation>
    </message>
    <message>
        <source>The head that is shown on this side, whichever one is current</source>
        <translation>La tête affichée de ce côté, quelle que soit la tête actuelle</translation>
    </message>
    <message>
        <source>current head</source>
        <translation>tête actuelle</translation>
    </message>
</context>
<context>
    <name>headscope::AutosavedStudies</name>
    <message>
        <source>n %1</source>
        <translation>n %1</translation>
    </message>
    <message>
        <source>n %1 and %2</source>
        <translation>n %1 et %2</translation>
    </message>
    <message>
        <source>greedy</source>
        <translation>glouton</translation>
    </message>
    <message>
        <source>%1 beams</source>
        <translation>%1 faisceaux</translation>
    </message>
</context>
<context>
    <name>headscope::BestHeadsModel</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Only head %1 of the layer is kept: %2 %3, %4 of examples changed</source>
        <translation>Seule la tête %1 de la couche est gardée&#xa0;: %2 %3, exemples modifiés&#xa0;: %4</translation>
    </message>
    <message>
        <source>Chosen on %1, where its difference is %2</source>
        <translation>Choisie sur %1, où sa différence est %2</translation>
    </message>
    <message>
        <source>The head that does best alone</source>
        <translation>La meilleure tête quand elle est seule</translation>
    </message>
    <message>
        <source>What the score changes by when head %1 alone is left of a layer</source>
        <translation>Variation du score quand seule la tête %1 d’une couche reste</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Couche</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>Meilleure</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>Intervalle à 95&#xa0;%</translation>
    </message>
    <message>
        <source>p</source>
        <translation>p</translation>
    </message>
    <message>
        <source>Two-sided, paired bootstrap, not adjusted</source>
        <translation>Bilatéral, bootstrap apparié, non ajusté</translation>
    </message>
    <message>
        <source>Adjusted for the number of layers (Holm)</source>
        <translation>Ajusté pour le nombre de couches (Holm)</translation>
    </message>
    <message>
        <source>Adjusted for the number of layers (Benjamini–Hochberg)</source>
        <translation>Ajusté pour le nombre de couches (Benjamini–Hochberg)</translation>
    </message>
    <message>
        <source>Holm</source>
        <translation>Holm</translation>
    </message>
    <message>
        <source>BH</source>
        <translation>BH</translation>
    </message>
</context>
<context>
    <name>headscope::ClusterController</name>
    <message>
        <source>Open a model first.</source>
        <translation>Ouvrir d’abord un modèle.</translation>
    </message>
    <message>
        <source>The model is on another machine (%1), and so are its cluster&apos;s programs. Copy the command, and start it there in a terminal.</source>
        <translation>Le modèle est sur une autre machine (%1), et les programmes de son cluster aussi. Copier la commande et la lancer là-bas dans un terminal.</translation>
    </message>
    <message>
        <source>Choose a data set with references first.</source>
        <translation>Choisir d’abord un jeu de données avec des références.</translation>
    </message>
    <message>
        <source>Name a folder on a disk that all nodes see.</source>
        <translation>Indiquer un dossier sur un disque que tous les nœuds voient.</translation>
    </message>
    <message>
        <source>Options of sbatch: &quot;%1&quot; is none; they begin with a dash.</source>
        <translation>Options de sbatch : « %1 » n’en est pas une ; elles commencent par un tiret.</translation>
    </message>
    <message>
        <source>Choose %1 data first.</source>
        <translation>Choisir d’abord des données %1.</translation>
    </message>
    <message>
        <source>This needs the other data set, too: choose it first.</source>
        <translation>Il faut aussi l’autre jeu de données : le choisir d’abord.</translation>
    </message>
    <message>
        <source>This sweep is already running.</source>
        <translation>C’est déjà en cours.</translation>
    </message>
    <message>
        <source>The model or the data have changed since it was begun. Start it again.</source>
        <translation>Le modèle ou les données ne sont plus ceux du début. Relancer le calcul.</translation>
    </message>
    <message>
        <source>%1, on the cluster</source>
        <translation>%1, sur le cluster</translation>
    </message>
    <message>
        <source>Cancel %1 on the cluster</source>
        <translation>Arrêter sur le cluster : %1</translation>
    </message>
    <message>
        <source>%1, on the cluster: %2</source>
        <translation>%1, sur le cluster : %2</translation>
    </message>
    <message>
        <source>The file from the cluster is not the requested result. Its folder is %1.</source>
        <translation>Ce que le cluster a laissé n’est pas le résultat demandé. Son dossier est %1.</translation>
    </message>
    <message>
        <source>The result is of another model or other data than are open now (changed: %1). It is in %2.</source>
        <translation>Le résultat vient d’un autre modèle ou d’autres données que ceux ouverts ici (changé : %1). Il est dans %2.</translation>
    </message>
    <message>
        <source>the data</source>
        <translation>les données</translation>
    </message>
</context>
<context>
    <name>headscope::ClusterDialog</name>
    <message>
        <source>not watched</source>
        <translation>non suivi</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>démarrage</translation>
    </message>
    <message>
        <source>all %1 shards done, computing the result</source>
        <translation>les %1 parts sont finies, assemblage du résultat</translation>
    </message>
    <message>
        <source>%1 of %2 shards done, %3 running, %4 waiting</source>
        <translation>%1 parts sur %2 finies, %3 en cours, %4 en attente</translation>
    </message>
    <message>
        <source>being cancelled</source>
        <translation>en cours d’arrêt</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>arrêté</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>échec</translation>
    </message>
    <message>
        <source>done: the result is in the study</source>
        <translation>fini : le résultat est dans l’étude</translation>
    </message>
    <message>
        <source>Run on a cluster</source>
        <translation>Calculer sur un cluster</translation>
    </message>
    <message>
        <source>This command is run, without a shell, and its result is added to the study:</source>
        <translation>Cette commande est lancée, sans shell, et son résultat entre dans l’étude :</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Commande</translation>
    </message>
    <message>
        <source>Cop&amp;y command</source>
        <translation>Cop&amp;ier la commande</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Lancer</translation>
    </message>
    <message>
        <source>&amp;Analysis</source>
        <translation>&amp;Ce qui est calculé</translation>
    </message>
    <message>
        <source>Sweeps</source>
        <translation>Balayages</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>Slurm</source>
        <translation>Slurm</translation>
    </message>
    <message>
        <source>as many as Slurm assigns</source>
        <translation>autant que possible</translation>
    </message>
    <message>
        <source>-p gpu -G 1 -c 4 -t 4:00:00</source>
        <translation>-p gpu -G 1 -c 4 -t 4:00:00</translation>
    </message>
    <message>
        <source>Of sbatch, with quotation marks as in a shell, which is not run</source>
        <translation>De sbatch, avec des guillemets comme dans un shell, qui n’est pas lancé</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Dossier</translation>
    </message>
    <message>
        <source>Sche&amp;duler:</source>
        <translation>&amp;Ordonnanceur :</translation>
    </message>
    <message>
        <source>&amp;Shards:</source>
        <translation>&amp;Parts :</translation>
    </message>
    <message>
        <source>&amp;Threads of a shard:</source>
        <translation>&amp;Threads d’une part :</translation>
    </message>
    <message>
        <source>&amp;Options of sbatch:</source>
        <translation>Opt&amp;ions de sbatch :</translation>
    </message>
    <message>
        <source>&amp;Folder:</source>
        <translation>&amp;Dossier :</translation>
    </message>
    <message>
        <source>All nodes must see this folder, the model, the data and Headscope under the same paths.</source>
        <translation>Tous les nœuds doivent voir ce dossier, le modèle, les données et Headscope, par les mêmes chemins.</translation>
    </message>
    <message>
        <source>Sweeps of this study on the cluster</source>
        <translation>Balayages de cette étude sur le cluster</translation>
    </message>
    <message>
        <source>Sweeps on the cluster</source>
        <translation>Balayages sur le cluster</translation>
    </message>
    <message>
        <source>Output of the sweep</source>
        <translation>Ce que le balayage a dit</translation>
    </message>
    <message>
        <source>Res&amp;ume</source>
        <translation>&amp;Reprendre</translation>
    </message>
    <message>
        <source>Watches the jobs that are still waiting or running, and submits the missing ones</source>
        <translation>Suit les tâches qui attendent ou tournent encore, et soumet ce qui manque</translation>
    </message>
    <message>
        <source>&amp;Cancel jobs</source>
        <translation>&amp;Arrêter les tâches</translation>
    </message>
    <message>
        <source>Cancels the jobs on the cluster. Completed shards stay in the folder</source>
        <translation>Arrête les tâches sur le cluster. Ce qui est fait reste dans le dossier</translation>
    </message>
    <message>
        <source>Remove from the &amp;list</source>
        <translation>Retirer de la li&amp;ste</translation>
    </message>
    <message>
        <source>The folder stays</source>
        <translation>Le dossier reste</translation>
    </message>
    <message>
        <source>%1 (computed)</source>
        <translation>%1 (calculé)</translation>
    </message>
    <message>
        <source>Choose an analysis.</source>
        <translation>Choisir ce qui doit être calculé.</translation>
    </message>
    <message>
        <source>Jobs that run at the same time if there is room. Each reads the model once:
more than one shard per five examples makes no sense.</source>
        <translation>Parts qui tournent en même temps s’il y a de la place. Chacune lit le modèle une fois :
plus d’une part pour cinq exemples n’a pas de sens.</translation>
    </message>
    <message>
        <source>Every sweep gets its own folder in it, with what is needed to resume:
shards, logs, scripts, the result.</source>
        <translation>Chaque balayage y a son propre dossier, avec ce qu’il faut pour reprendre :
parts, journaux, scripts, résultat.</translation>
    </message>
</context>
<context>
    <name>headscope::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>Commandes</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>Chercher une commande</translation>
    </message>
    <message>
        <source>Commands found</source>
        <translation>Commandes trouvées</translation>
    </message>
    <message>
        <source>No command matches.</source>
        <translation>Aucune commande ne correspond.</translation>
    </message>
    <message>
        <source>what which how does do is are a an the of for to me my show i can where</source>
        <translation>que quoi quel quelle quels quelles comment est sont un une le la les de des du pour à me mon ma mes montre je puis où qu ce fait</translation>
    </message>
    <message>
        <source>What do you want to do or know? For example: mask, pruning, export, head 2.6</source>
        <translation>Que voulez-vous faire ou savoir ? Par exemple : masquer, élagage, exporter, tête 2.6</translation>
    </message>
</context>
<context>
    <name>headscope::CoreWords</name>
    <message>
        <source>Score the model on a data set</source>
        <translation>Évaluer le modèle sur un jeu de données</translation>
    </message>
    <message>
        <source>Resamples</source>
        <translation>Rééchantillonnages</translation>
    </message>
    <message>
        <source>Score the model without each of its heads in turn</source>
        <translation>Évaluer le modèle sans chacune de ses têtes à tour de rôle</translation>
    </message>
    <message>
        <source>All but one</source>
        <translation>Toutes sauf une</translation>
    </message>
    <message>
        <source>Keep each head in turn as the only one of its layer</source>
        <translation>Garder chaque tête à tour de rôle comme seule de sa couche</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Remplacer</translation>
    </message>
    <message>
        <source>Draws</source>
        <translation>Tirages</translation>
    </message>
    <message>
        <source>For --replace resample: number of random examples whose contexts replace each example&apos;s; results average over them</source>
        <translation>Pour --replace resample&#xa0;: exemples aléatoires qui remplacent chacun, l’un après l’autre&#xa0;; les résultats portent sur tous ensemble</translation>
    </message>
    <message>
        <source>Sample ratio</source>
        <translation>Taux d’échantillon</translation>
    </message>
    <message>
        <source>Size of a resample by the size of the data set; compare-mt draws 0.5, which makes its tests conservative</source>
        <translation>Taille d’un rééchantillon rapportée à celle du jeu de données&#xa0;; compare-mt tire 0.5, ce qui rend ses tests conservateurs</translation>
    </message>
    <message>
        <source>Resamples of the paired bootstrap, and trials of approximate randomisation; 0 = no tests; default: as many as let a head be significant after Holm&apos;s correction over all heads of the model (80 a head, rounded up to thousands)</source>
        <translation>Du bootstrap apparié, et essais de randomisation approchée&#xa0;; 0 = pas de tests&#xa0;; par défaut&#xa0;: autant qu’il en faut pour qu’une tête puisse être significative après la correction de Holm sur toutes les têtes du modèle (80 par tête, arrondi au millier supérieur)</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Précision</translation>
    </message>
    <message>
        <source>Stop measuring a head once its delta is known to ± X (half of the 95 % interval, in units of the metric); 0: use every example for every head</source>
        <translation>Laisser une tête dès que son delta est connu à ± X près (moitié de l’intervalle à 95&#xa0;%, en unités de la métrique)&#xa0;; 0&#xa0;: utiliser tous les exemples pour chaque tête</translation>
    </message>
    <message>
        <source>Estimate each head&apos;s importance from gradients</source>
        <translation>Estimer l’importance de chaque tête à partir des gradients</translation>
    </message>
    <message>
        <source>Reduction</source>
        <translation>Réduction</translation>
    </message>
    <message>
        <source>Batch examples</source>
        <translation>Exemples par lot</translation>
    </message>
    <message>
        <source>For batch and fisher: examples in a batch; default: as many as fit into --batch-tokens with padding where that is given, else 32 as in Michel et al.&apos;s and Kwon et al.&apos;s scripts (Hugging Face&apos;s has 1: batch is then example)</source>
        <translation>Pour batch et fisher&#xa0;: exemples par lot&#xa0;; par défaut, autant qu’il en tient dans --batch-tokens avec le remplissage si cette option est donnée, sinon 32 comme dans les scripts de Michel et al. et de Kwon et al. (celui de Hugging Face a 1&#xa0;: batch est alors example)</translation>
    </message>
    <message>
        <source>Example loss</source>
        <translation>Perte d’un exemple</translation>
    </message>
    <message>
        <source>Whose gradient: the sum of an example&apos;s losses over its target tokens, or their mean; of labels the same</source>
        <translation>Dont est pris le gradient&#xa0;: la somme des pertes d’un exemple sur ses tokens cibles, ou leur moyenne&#xa0;; pour des étiquettes, c’est pareil</translation>
    </message>
    <message>
        <source>Normalize</source>
        <translation>Normaliser</translation>
    </message>
    <message>
        <source>layer: divide by the l2 norm of each layer; global: by that of all heads; bertology: by layer, then map all heads to 0-1, as Hugging Face&apos;s script does</source>
        <translation>layer&#xa0;: diviser par la norme l2 de chaque couche&#xa0;; global&#xa0;: par celle de toutes les têtes&#xa0;; bertology&#xa0;: par couche, puis ramener toutes les têtes à 0-1, comme le script de Hugging Face</translation>
    </message>
    <message>
        <source>Measure the score while more and more heads are removed</source>
        <translation>Retirer de plus en plus de têtes et observer le score</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Ordre</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Pas</translation>
    </message>
    <message>
        <source>Heads removed between two points; 0 = a tenth of the candidates</source>
        <translation>Têtes d’un point au suivant&#xa0;; 0 = un dixième des candidates</translation>
    </message>
    <message>
        <source>Rounding</source>
        <translation>Arrondi</translation>
    </message>
    <message>
        <source>How tenths of the candidates become whole heads</source>
        <translation>Des dixièmes des candidates</translation>
    </message>
    <message>
        <source>Reverse</source>
        <translation>Inverser</translation>
    </message>
    <message>
        <source>Reverse the order: the heads that seem most needed are removed first</source>
        <translation>À l’inverse&#xa0;: ce qui semble le plus utile part en premier</translation>
    </message>
    <message>
        <source>Greedy step</source>
        <translation>Pas glouton</translation>
    </message>
    <message>
        <source>For --order greedy: heads to remove before all others are measured again</source>
        <translation>Pour --order greedy&#xa0;: têtes retirées avant que toutes les autres soient mesurées à nouveau</translation>
    </message>
    <message>
        <source>Each kind</source>
        <translation>Chaque type</translation>
    </message>
    <message>
        <source>A curve for each kind of attention (of --kinds) by itself, with percentages of that kind; JSON: &quot;curves&quot;</source>
        <translation>Une courbe pour chaque type d’attention (de --kinds) à part, avec des pourcentages de ce type&#xa0;; JSON&#xa0;: «&#xa0;curves&#xa0;»</translation>
    </message>
    <message>
        <source>Reestimate</source>
        <translation>Réestimer</translation>
    </message>
    <message>
        <source>Estimate importance again before every step</source>
        <translation>Réestimer l’importance avant chaque pas</translation>
    </message>
    <message>
        <source>Kinds</source>
        <translation>Types</translation>
    </message>
    <message>
        <source>Candidates (default: all)</source>
        <translation>Candidates (par défaut&#xa0;: toutes)</translation>
    </message>
    <message>
        <source>At least</source>
        <translation>Au moins</translation>
    </message>
    <message>
        <source>Heads never removed in a layer</source>
        <translation>Têtes jamais retirées dans une couche</translation>
    </message>
    <message>
        <source>Random orders</source>
        <translation>Ordres aléatoires</translation>
    </message>
    <message>
        <source>For --order random</source>
        <translation>Pour --order random</translation>
    </message>
    <message>
        <source>The normalisation of importance, as in `importance`</source>
        <translation>De l’importance, comme dans `importance`</translation>
    </message>
    <message>
        <source>The batches of importance, as in `importance`</source>
        <translation>De l’importance, comme dans `importance`</translation>
    </message>
    <message>
        <source>The loss of importance, as in `importance`</source>
        <translation>De l’importance, comme dans `importance`</translation>
    </message>
    <message>
        <source>The reduction of importance, as in `importance`</source>
        <translation>De l’importance, comme dans `importance`</translation>
    </message>
    <message>
        <source>Choose the order on this data set, so that the curve is measured on data that did not influence it</source>
        <translation>Choisir l’ordre sur ce jeu de données, pour que la courbe soit celle de données qui n’y ont pas contribué</translation>
    </message>
    <message>
        <source>Find masks from gradients alone: Fisher search, rearrangement, rescaling (Kwon 2022)</source>
        <translation>Trouver des masques à partir des gradients seuls&#xa0;: recherche de Fisher, réarrangement, remise à l’échelle (Kwon 2022)</translation>
    </message>
    <message>
        <source>Heads removed between two budgets; 0 = a tenth of the candidates</source>
        <translation>Têtes d’un budget au suivant&#xa0;; 0 = un dixième des candidates</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Échantillons</translation>
    </message>
    <message>
        <source>Examples for gradients and factors; 0 = all</source>
        <translation>Exemples dont sont tirés gradients et facteurs&#xa0;; 0 = tous</translation>
    </message>
    <message>
        <source>Mini batch</source>
        <translation>Mini-lot</translation>
    </message>
    <message>
        <source>Examples per gradient</source>
        <translation>Exemples par gradient</translation>
    </message>
    <message>
        <source>Take gradients and factors from this data set, training data for instance</source>
        <translation>Tirer gradients et facteurs de ce jeu de données, par exemple des données d’entraînement</translation>
    </message>
    <message>
        <source>Find out what heads attend to: offsets, syntax, rare words, patterns</source>
        <translation>Découvrir ce que regardent les têtes&#xa0;: décalages, syntaxe, mots rares, motifs</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Mesure</translation>
    </message>
    <message>
        <source>Attention weights; norms of what is added for a key, as they are (confidence; the rest takes their shares); or norm-shares, the norms by their sum over the keys</source>
        <translation>Poids d’attention&#xa0;; normes de ce qui est ajouté pour une clé, telles quelles (confiance&#xa0;; le reste prend leurs parts)&#xa0;; ou norm-shares, les normes divisées par leur somme sur les clés</translation>
    </message>
    <message>
        <source>Special tokens</source>
        <translation>Tokens spéciaux</translation>
    </message>
    <message>
        <source>Confidence: leave special tokens out as queries and keys, only as one of them, or count them</source>
        <translation>Confiance&#xa0;: écarter les tokens spéciaux comme requêtes et comme clés, seulement comme l’un des deux, ou les compter</translation>
    </message>
    <message>
        <source>Renormalize</source>
        <translation>Renormaliser</translation>
    </message>
    <message>
        <source>Confidence: what is left beside them sums to 1</source>
        <translation>Confiance&#xa0;: la somme de ce qui reste à côté d’eux vaut 1</translation>
    </message>
    <message>
        <source>Own output</source>
        <translation>Propre sortie</translation>
    </message>
    <message>
        <source>Force the decoder to the model&apos;s own output, not to the references</source>
        <translation>Le décodeur dit la propre sortie du modèle, non les références</translation>
    </message>
    <message>
        <source>Corpus</source>
        <translation>Corpus</translation>
    </message>
    <message>
        <source>Text whose tokens are counted to know rare ones: the training text; default: the order of the vocabulary</source>
        <translation>Texte dont les tokens sont comptés pour reconnaître les rares&#xa0;: le texte d’entraînement&#xa0;; par défaut&#xa0;: l’ordre du vocabulaire</translation>
    </message>
    <message>
        <source>Frequencies</source>
        <translation>Effectifs</translation>
    </message>
    <message>
        <source>Words and how often they occur instead, one a line</source>
        <translation>À la place, des mots et leur nombre d’occurrences, un par ligne</translation>
    </message>
    <message>
        <source>Alignments</source>
        <translation>Alignements</translation>
    </message>
    <message>
        <source>Word alignments for the error rates of cross-attention: lines of 0-0 1?2 (source-target, ? possible)</source>
        <translation>Alignements de mots pour les taux d’erreur de l’attention croisée&#xa0;: lignes de 0-0 1?2 (source-cible,&#xa0;? possible)</translation>
    </message>
    <message>
        <source>Sieve threshold</source>
        <translation>Seuil des tests</translation>
    </message>
    <message>
        <source>Syntactic, local, block and delimiter roles as Pande et al. (2021) test them: how many times as much attention as if all keys got the same a head must give, for p</source>
        <translation>Rôles syntaxique, local, bloc et délimiteur tels que les testent Pande et al. (2021)&#xa0;: combien de fois plus d’attention une tête doit donner que si toutes les clés recevaient la même, pour p</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>Indices</translation>
    </message>
    <message>
        <source>Sentences for and against every label</source>
        <translation>Phrases pour et contre chaque étiquette</translation>
    </message>
    <message>
        <source>Trace the model&apos;s outputs back to its heads and its input: layer-wise relevance propagation</source>
        <translation>Retracer ce que dit le modèle jusqu’à ses têtes et son entrée&#xa0;: propagation de la pertinence couche par couche</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>Règle</translation>
    </message>
    <message>
        <source>alpha-beta: Voita et al.&apos;s code; epsilon: Ding et al.; attnlrp: Achtibat et al.; cp-lrp: Ali et al.</source>
        <translation>alpha-beta&#xa0;: code de Voita et al.&#xa0;; epsilon&#xa0;: Ding et al.&#xa0;; attnlrp&#xa0;: Achtibat et al.&#xa0;; cp-lrp&#xa0;: Ali et al.</translation>
    </message>
    <message>
        <source>Force the decoder to the model&apos;s own greedy output, not to the references (always done without references)</source>
        <translation>Le décodeur dit la propre sortie gloutonne du modèle, non les références (toujours, s’il n’y a pas de références)</translation>
    </message>
    <message>
        <source>Absolute</source>
        <translation>Absolue</translation>
    </message>
    <message>
        <source>Divide each head&apos;s relevance by the layer&apos;s absolute relevances</source>
        <translation>Les têtes ont des parts des pertinences absolues de la couche</translation>
    </message>
    <message>
        <source>Signed</source>
        <translation>Signée</translation>
    </message>
    <message>
        <source>Divide by the sum instead, even for rules with negative relevances</source>
        <translation>Elles ont des parts de la somme, même avec les règles qui en donnent aussi de négatives</translation>
    </message>
    <message>
        <source>Attention constant</source>
        <translation>Attention constante</translation>
    </message>
    <message>
        <source>alpha-beta: no relevance flows through queries and keys</source>
        <translation>alpha-beta&#xa0;: rien ne passe par les requêtes et les clés</translation>
    </message>
    <message>
        <source>Sentences</source>
        <translation>Phrases</translation>
    </message>
    <message>
        <source>Keep the relevances of every example, and every token&apos;s contribution</source>
        <translation>Conserver les pertinences de chaque exemple, et la contribution de chaque token</translation>
    </message>
    <message>
        <source>Average each head&apos;s largest attention weight; `roles` has more options</source>
        <translation>Moyenner le plus grand poids d’attention de chaque tête&#xa0;; `roles` offre d’autres façons de compter</translation>
    </message>
    <message>
        <source>Count the examples that each head decides: right only with it, right only without it</source>
        <translation>Compter les exemples que décide chaque tête&#xa0;: justes seulement avec elle, justes seulement sans elle</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Exemples</translation>
    </message>
    <message>
        <source>Name the examples that are lost and gained without each head, by their rows</source>
        <translation>Nommer les exemples perdus et gagnés sans chaque tête, par leurs lignes</translation>
    </message>
    <message>
        <source>Compare what heads attend to: distances, map, clusters, and what they look at on the surface</source>
        <translation>Comparer ce que regardent les têtes&#xa0;: distances, carte, groupes, et ce qu’elles regardent en surface</translation>
    </message>
    <message>
        <source>Distance</source>
        <translation>Distance</translation>
    </message>
    <message>
        <source>Distance of map, clusters and spread: the root of the mean Jensen-Shannon divergence, which is a metric, or the divergence, as in Clark et al.&apos;s code</source>
        <translation>Celle de la carte, des groupes et de la dispersion&#xa0;: la racine de la divergence moyenne de Jensen-Shannon, qui est une métrique, ou la divergence, comme dans le code de Clark et al.</translation>
    </message>
    <message>
        <source>Linkage</source>
        <translation>Agrégation</translation>
    </message>
    <message>
        <source>Distance of clusters: mean, largest or smallest distance of their members</source>
        <translation>Des groupes&#xa0;: distance moyenne, maximale ou minimale de leurs membres</translation>
    </message>
    <message>
        <source>Average</source>
        <translation>Moyenne</translation>
    </message>
    <message>
        <source>Average of surface statistics: over the tokens that have such a key, or as Clark et al.&apos;s code does: over examples, by all tokens, punctuation being . and ,</source>
        <translation>Des statistiques de surface&#xa0;: sur les tokens qui ont une telle clé, ou comme dans le code de Clark et al.&#xa0;: sur les exemples, rapportée à tous les tokens, la ponctuation étant . et ,</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Lissage</translation>
    </message>
    <message>
        <source>Mix rows with this much uniform attention before they are compared; Clark et al.: 0.001</source>
        <translation>Mélanger aux lignes cette part d’attention uniforme avant de les comparer&#xa0;; Clark et al.&#xa0;: 0.001</translation>
    </message>
    <message>
        <source>Resamples of the bootstrap intervals of the spread; 0 = none</source>
        <translation>Des intervalles bootstrap de la dispersion&#xa0;; 0 = aucun</translation>
    </message>
    <message>
        <source>How much the loss follows attention to special tokens, punctuation, neighbours and all else</source>
        <translation>À quel point la perte dépend de l’attention aux tokens spéciaux, à la ponctuation, aux voisins et à tout le reste</translation>
    </message>
    <message>
        <source>Train a small model that reads dependency trees off attention, and compare it with baselines</source>
        <translation>Entraîner un petit modèle qui lit des arbres de dépendances dans l’attention, et le comparer à des références simples</translation>
    </message>
    <message>
        <source>Test share</source>
        <translation>Part de test</translation>
    </message>
    <message>
        <source>Without --train-on: share of the sentences, drawn by the seed, that accuracies are of; the others are trained on</source>
        <translation>Sans --train-on&#xa0;: part des phrases, tirées selon la graine, sur lesquelles portent les exactitudes&#xa0;; les autres servent à l’entraînement</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Époques</translation>
    </message>
    <message>
        <source>Times that every training sentence is seen</source>
        <translation>Nombre de passages sur chaque phrase d’entraînement</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Taux d’apprentissage</translation>
    </message>
    <message>
        <source>Learning rate of Adam, a sentence a step</source>
        <translation>D’Adam, une phrase par pas</translation>
    </message>
    <message>
        <source>Resamples of the bootstrap; 0 = no intervals</source>
        <translation>Des intervalles bootstrap&#xa0;; 0 = aucun</translation>
    </message>
    <message>
        <source>The data set, with trees, that probes are trained on</source>
        <translation>Le jeu de données, avec arbres, sur lequel les sondes sont entraînées</translation>
    </message>
    <message>
        <source>How often heads attend from a mention to its antecedent, beside baselines that look at words</source>
        <translation>À quelle fréquence les têtes regardent d’une mention vers son antécédent, à côté de références simples fondées sur les mots</translation>
    </message>
    <message>
        <source>Resamples of the bootstrap over documents; 0 = no intervals</source>
        <translation>Des intervalles bootstrap, sur les documents&#xa0;; 0 = aucun</translation>
    </message>
    <message>
        <source>How many dimensions query and key projections use; what of the scores is the same for every query</source>
        <translation>Combien de dimensions utilisent les projections de requêtes et de clés&#xa0;; quelle part des scores est la même pour toutes les requêtes</translation>
    </message>
    <message>
        <source>Centred</source>
        <translation>Centré</translation>
    </message>
    <message>
        <source>Take the mean out of every dimension of a head first, as a principal component analysis does</source>
        <translation>Retirer d’abord la moyenne de chaque dimension d’une tête, comme le fait une analyse en composantes principales</translation>
    </message>
    <message>
        <source>Examples that content, context and key biases are looked at on; 0 = all</source>
        <translation>Exemples sur lesquels les biais de contenu, de contexte et de clé sont examinés&#xa0;; 0 = tous</translation>
    </message>
    <message>
        <source>Share query and key projections between heads, and score the model with fewer dimensions</source>
        <translation>Faire partager aux têtes leurs projections de requêtes et de clés, et évaluer le modèle avec moins de projections</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Rangs</translation>
    </message>
    <message>
        <source>Columns of the shared query and key projections; default: 3/4, 1/2, 1/3 and 1/6 of those that all heads of an attention have together</source>
        <translation>Colonnes des projections partagées de requêtes et de clés&#xa0;; par défaut&#xa0;: 3/4, 1/2, 1/3 et 1/6 de celles qu’ont ensemble toutes les têtes d’une attention</translation>
    </message>
    <message>
        <source>Attentions that share (default: all)</source>
        <translation>Attentions qui partagent (par défaut&#xa0;: toutes)</translation>
    </message>
    <message>
        <source>Methods</source>
        <translation>Méthodes</translation>
    </message>
    <message>
        <source>cp: the sum of products that is nearest to all heads together; svd: the largest singular triplets of single heads, which share nothing (default: both)</source>
        <translation>cp&#xa0;: la somme de produits la plus proche de toutes les têtes ensemble&#xa0;; svd&#xa0;: les plus grands triplets singuliers de chaque tête, qui ne partagent rien (par défaut&#xa0;: les deux)</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>Élaguer</translation>
    </message>
    <message>
        <source>Remove this many heads as well, the least important of the full model first: before sharing, after it, and without sharing</source>
        <translation>Retirer aussi ce nombre de têtes, les moins importantes de tout le modèle d’abord&#xa0;: avant le partage, après, et sans partage</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>Itérations</translation>
    </message>
    <message>
        <source>Most iterations of alternating least squares</source>
        <translation>Des moindres carrés alternés, au plus</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>Tolérance</translation>
    </message>
    <message>
        <source>Stop when an iteration reduces the relative error by less</source>
        <translation>Le calcul s’arrête quand une itération réduit moins l’erreur relative</translation>
    </message>
    <message>
        <source>Ridge</source>
        <translation>Ridge</translation>
    </message>
    <message>
        <source>Regularisation of the normal equations: added to the diagonal, relative to its mean</source>
        <translation>Sur la diagonale des équations normales, rapporté à sa moyenne</translation>
    </message>
    <message>
        <source>Restarts</source>
        <translation>Redémarrages</translation>
    </message>
    <message>
        <source>Restarts from random factors, besides the start from single heads; the best fit counts</source>
        <translation>Départs de facteurs aléatoires en plus de celui des têtes seules&#xa0;; le plus proche compte</translation>
    </message>
    <message>
        <source>Published scale</source>
        <translation>Échelle publiée</translation>
    </message>
    <message>
        <source>Divide scores as the published code does, by the root of the width by the number of heads; heads were trained with the root of their own width</source>
        <translation>Diviser les scores comme le fait le code publié, par la racine de la largeur divisée par le nombre de têtes&#xa0;; les têtes ont été entraînées avec la racine de leur propre largeur</translation>
    </message>
    <message>
        <source>Mixing</source>
        <translation>Mélange</translation>
    </message>
    <message>
        <source>Keep the mixing matrices</source>
        <translation>Conserver les matrices de mélange</translation>
    </message>
    <message>
        <source>Examples that scores and attention are compared on; 0 = all</source>
        <translation>Exemples sur lesquels scores et attention sont comparés&#xa0;; 0 = tous</translation>
    </message>
    <message>
        <source>Resamples for the bootstrap intervals of scores; 0 = none</source>
        <translation>Des intervalles bootstrap des scores&#xa0;; 0 = aucun</translation>
    </message>
    <message>
        <source>Score this data set, too: out-of-domain data for instance</source>
        <translation>Évaluer aussi ce jeu de données&#xa0;: par exemple des données hors domaine</translation>
    </message>
    <message>
        <source>Follow heads over training: importance, ablation and pruning of every checkpoint</source>
        <translation>Suivre les têtes au fil de l’entraînement&#xa0;: importance, ablation et élagage de chaque checkpoint</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Entraînement</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Only those with these numbers; default: all</source>
        <translation>Seulement ceux de ces numéros&#xa0;; par défaut&#xa0;: tous</translation>
    </message>
    <message>
        <source>Candidates of pruning (default: all)</source>
        <translation>Candidates à l’élagage (par défaut&#xa0;: toutes)</translation>
    </message>
    <message>
        <source>Curves only</source>
        <translation>Courbes seules</translation>
    </message>
    <message>
        <source>Skip ablation and confidence, which take longer than the rest together</source>
        <translation>Ni ablation ni confiance, qui coûtent plus que tout le reste</translation>
    </message>
    <message>
        <source>Roles</source>
        <translation>Rôles</translation>
    </message>
    <message>
        <source>Roles of heads at each checkpoint, as in `roles`</source>
        <translation>Ce que font les têtes à chaque checkpoint, comme dans `roles`</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>Dispersion</translation>
    </message>
    <message>
        <source>How far the heads of a layer are apart at each checkpoint, as in `similarity`</source>
        <translation>Distance entre les têtes d’une couche à chaque checkpoint, comme dans `similarity`</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Conserver</translation>
    </message>
    <message>
        <source>Estimate importance, and with it the order of pruning, on this data set</source>
        <translation>Estimer l’importance, et avec elle l’ordre d’élagage, sur ce jeu de données</translation>
    </message>
    <message>
        <source>ablating heads</source>
        <translation>ablation des têtes</translation>
    </message>
    <message>
        <source>loading texts</source>
        <translation>transfert des textes</translation>
    </message>
    <message>
        <source>checking weights</source>
        <translation>vérification des poids</translation>
    </message>
    <message>
        <source>choosing head %1</source>
        <translation>choix de la tête %1</translation>
    </message>
    <message>
        <source>comparing examples</source>
        <translation>comparaison des exemples</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>confiance</translation>
    </message>
    <message>
        <source>coreference</source>
        <translation>coréférence</translation>
    </message>
    <message>
        <source>counting tokens</source>
        <translation>comptage des tokens</translation>
    </message>
    <message>
        <source>energies of projections</source>
        <translation>énergies des projections</translation>
    </message>
    <message>
        <source>evaluating</source>
        <translation>évaluation</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>gradients</translation>
    </message>
    <message>
        <source>importance</source>
        <translation>importance</translation>
    </message>
    <message>
        <source>judging probes</source>
        <translation>évaluation des sondes</translation>
    </message>
    <message>
        <source>keeping one head a layer</source>
        <translation>une tête par couche</translation>
    </message>
    <message>
        <source>learning the vocabulary</source>
        <translation>apprentissage du vocabulaire</translation>
    </message>
    <message>
        <source>measuring a step</source>
        <translation>mesure d’un pas</translation>
    </message>
    <message>
        <source>measuring masks</source>
        <translation>mesure des masques</translation>
    </message>
    <message>
        <source>painting figures</source>
        <translation>dessin des figures</translation>
    </message>
    <message>
        <source>parts of scores</source>
        <translation>parts des scores</translation>
    </message>
    <message>
        <source>pruning</source>
        <translation>élagage</translation>
    </message>
    <message>
        <source>reading results</source>
        <translation>lecture des résultats</translation>
    </message>
    <message>
        <source>reading training data</source>
        <translation>lecture des données d’entraînement</translation>
    </message>
    <message>
        <source>reading weights</source>
        <translation>lecture des poids</translation>
    </message>
    <message>
        <source>relevance</source>
        <translation>pertinence</translation>
    </message>
    <message>
        <source>roles</source>
        <translation>rôles</translation>
    </message>
    <message>
        <source>searching masks</source>
        <translation>recherche de masques</translation>
    </message>
    <message>
        <source>sharing projections: width %1</source>
        <translation>partage des projections&#xa0;: largeur %1</translation>
    </message>
    <message>
        <source>similarity</source>
        <translation>similarité</translation>
    </message>
    <message>
        <source>training probes</source>
        <translation>entraînement des sondes</translation>
    </message>
    <message>
        <source>training, epoch %1 of %2</source>
        <translation>entraînement, époque %1 sur %2</translation>
    </message>
    <message>
        <source>training, epoch %1 of %2, loss %3, %4 tokens/s</source>
        <translation>entraînement, époque %1 sur %2, perte %3, %4 tokens/s</translation>
    </message>
    <message>
        <source>validating</source>
        <translation>validation</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>écriture</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>Mio</translation>
    </message>
    <message>
        <source>budgets</source>
        <translation>budgets</translation>
    </message>
    <message>
        <source>checkpoints</source>
        <translation>checkpoints</translation>
    </message>
    <message>
        <source>examples</source>
        <translation>exemples</translation>
    </message>
    <message>
        <source>figures</source>
        <translation>figures</translation>
    </message>
    <message>
        <source>files</source>
        <translation>fichiers</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>couches</translation>
    </message>
    <message>
        <source>lines</source>
        <translation>lignes</translation>
    </message>
    <message>
        <source>models</source>
        <translation>modèles</translation>
    </message>
    <message>
        <source>parts</source>
        <translation>parties</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>lignes</translation>
    </message>
    <message>
        <source>sentences</source>
        <translation>phrases</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>tenseurs</translation>
    </message>
    <message>
        <source>updates</source>
        <translation>mises à jour</translation>
    </message>
    <message>
        <source>positional</source>
        <translation>positionnel</translation>
    </message>
    <message>
        <source>syntactic</source>
        <translation>syntaxique</translation>
    </message>
    <message>
        <source>rare word</source>
        <translation>mot rare</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>copie</translation>
    </message>
    <message>
        <source>diagonal</source>
        <translation>diagonale</translation>
    </message>
    <message>
        <source>induction</source>
        <translation>induction</translation>
    </message>
    <message>
        <source>same token</source>
        <translation>même token</translation>
    </message>
    <message>
        <source>separator</source>
        <translation>séparateur</translation>
    </message>
    <message>
        <source>ablation</source>
        <translation>ablation</translation>
    </message>
    <message>
        <source>greedy</source>
        <translation>glouton</translation>
    </message>
    <message>
        <source>random</source>
        <translation>aléatoire</translation>
    </message>
    <message>
        <source>Headscope, and every program that opens the original model</source>
        <translation>Headscope, et dans tout programme qui ouvre le modèle d’origine</translation>
    </message>
    <message>
        <source>Headscope, and transformers before version 5 (pruned_heads)</source>
        <translation>Headscope, et dans transformers avant la version 5 (pruned_heads)</translation>
    </message>
    <message>
        <source>Headscope, and transformers before version 5 (pruned_heads); layers without heads keep one, of zeros</source>
        <translation>Headscope, et dans transformers avant la version 5 (pruned_heads)&#xa0;; les couches sans têtes en gardent une, de zéros</translation>
    </message>
    <message>
        <source>Headscope only: transformers cannot load pruned models of this family</source>
        <translation>Headscope seulement&#xa0;: transformers ne peut pas charger les modèles élagués de cette famille</translation>
    </message>
    <message>
        <source>Headscope only: transformers does not support heads that share their projections</source>
        <translation>Headscope seulement&#xa0;: transformers connaît pas de têtes qui partagent leurs projections</translation>
    </message>
    <message>
        <source>plain LibTorch path, one forward pass per batch</source>
        <translation>chemin LibTorch simple, une passe avant par lot</translation>
    </message>
    <message>
        <source>plain LibTorch path, one search per batch (greedy)</source>
        <translation>chemin LibTorch simple, une recherche par lot (glouton)</translation>
    </message>
    <message>
        <source>plain LibTorch path, one search per batch (%1 beams)</source>
        <translation>chemin LibTorch simple, une recherche par lot (%1 faisceaux)</translation>
    </message>
    <message>
        <source>greedy, at most %1 tokens</source>
        <translation>glouton, au plus %1 tokens</translation>
    </message>
    <message>
        <source>%1 beams, length penalty %2, at most %3 tokens</source>
        <translation>%1 faisceaux, pénalité de longueur %2, au plus %3 tokens</translation>
    </message>
    <message>
        <source>cannot be kept: no room on the disk</source>
        <translation>impossible à conserver&#xa0;: plus de place sur le disque</translation>
    </message>
    <message>
        <source>Column of the text; default: found by its usual names</source>
        <translation>Colonne du texte&#x202f;; par défaut&#xa0;: reconnue à ses noms habituels</translation>
    </message>
    <message>
        <source>Column of the second text; &quot;none&quot;: there are no pairs</source>
        <translation>Colonne du second texte&#x202f;; «&#xa0;none&#xa0;»&#xa0;: il n’y a pas de paires</translation>
    </message>
    <message>
        <source>Column of the label or reference; &quot;none&quot;: there are no labels</source>
        <translation>Colonne de l’étiquette ou de la référence&#x202f;; «&#xa0;none&#xa0;»&#xa0;: il n’y a pas d’étiquettes</translation>
    </message>
    <message>
        <source>The table has no header line; its columns are called 1, 2, ...</source>
        <translation>Le tableau n’a pas de ligne d’en-tête&#x202f;; ses colonnes s’appellent 1, 2, ...</translation>
    </message>
    <message>
        <source>A .tsv with quoted fields</source>
        <translation>Un .tsv dont les champs sont entre guillemets</translation>
    </message>
    <message>
        <source>Meaning of the data&apos;s labels to the model: 1=positive,non-entailment=neutral+contradiction</source>
        <translation>Ce que les étiquettes des données signifient pour le modèle&#xa0;: 1=positive,non-entailment=neutral+contradiction</translation>
    </message>
    <message>
        <source>Minimal pairs: column of the sentence that should be less likely than the text column&apos;s; BLiMP&apos;s sentence_good and sentence_bad are found; &quot;none&quot;: these are no minimal pairs</source>
        <translation>Paires minimales&#xa0;: colonne de la phrase qui devrait être moins probable que celle de la colonne du texte&#x202f;; sentence_good et sentence_bad de BLiMP sont reconnues&#x202f;; «&#xa0;none&#xa0;»&#xa0;: ce ne sont pas des paires minimales</translation>
    </message>
    <message>
        <source>Unit that is one text: a line, a document (the lines between blank ones) or the file; texts longer than the model&apos;s window are cut</source>
        <translation>Ce qu’est un texte du fichier&#xa0;: une ligne (line), un document (document, les lignes entre deux lignes vides) ou le fichier (file)&#x202f;; les textes plus longs que la fenêtre du modèle sont découpés</translation>
    </message>
    <message>
        <source>Tokens from one window to the next where a text is cut; what a window repeats is its context and not counted. 0: windows share no tokens</source>
        <translation>Tokens d’une fenêtre à la suivante quand un texte est découpé&#x202f;; ce qu’une fenêtre répète est son contexte et n’est pas compté. 0&#xa0;: les fenêtres n’ont aucun token en commun</translation>
    </message>
    <message>
        <source>Tokens that a model that reads W at once predicts in a window: all: W; hf: W - 1, as in Hugging Face&apos;s guide to perplexity</source>
        <translation>Tokens qu’un modèle qui en lit W à la fois prédit dans une fenêtre&#xa0;: all&#xa0;: W&#x202f;; hf&#xa0;: W - 1, comme dans le guide de Hugging Face sur la perplexité</translation>
    </message>
    <message>
        <source>Token that a causal language model reads before every window of a text, and before both sentences of a minimal pair: none (only what its tokenizer begins texts with, so that later windows begin in the middle) or bos (the model&apos;s first token, else its end token; then the first word counts too)</source>
        <translation>Ce qu’un modèle de langue causal lit avant chaque fenêtre d’un texte et avant les deux phrases d’une paire minimale&#xa0;: none (seulement ce par quoi son tokenizer commence les textes&#xa0;: les fenêtres suivantes commencent au milieu) ou bos (le premier token du modèle, sinon son token de fin&#xa0;: le premier mot compte alors aussi)</translation>
    </message>
    <message>
        <source>For documents with coreference: words kept of each, from its beginning; 0 = all</source>
        <translation>Pour les documents avec coréférence&#xa0;: mots gardés de chacun, depuis son début&#x202f;; 0 = tous</translation>
    </message>
    <message>
        <source>Only the first N examples; 0 = all</source>
        <translation>Seulement les N premiers exemples&#x202f;; 0 = tous</translation>
    </message>
    <message>
        <source>N examples drawn at random by the seed instead, in the order of the file: of a set sorted by label the first N say little</source>
        <translation>N exemples tirés au hasard par la graine, dans l’ordre du fichier&#xa0;: d’un ensemble trié par étiquette, les N premiers disent peu</translation>
    </message>
    <message>
        <source>By</source>
        <translation>Par</translation>
    </message>
    <message>
        <source>The unit of a mask: its heads, or the whole groups that share their key-value heads</source>
        <translation>De quoi est un masque&#xa0;: ses têtes, ou les groupes entiers qui partagent leurs têtes clé-valeur</translation>
    </message>
    <message>
        <source>The unit that is removed at a time: a head, or all heads that share a key-value head (masked heads mask their whole groups too)</source>
        <translation>Ce qui est retiré à la fois&#xa0;: une tête, ou toutes les têtes qui partagent une tête clé-valeur (les têtes masquées masquent aussi leurs groupes entiers)</translation>
    </message>
    <message>
        <source>The unit that is estimated: each head, or all heads that share a key-value head as one (masked heads mask their whole groups too)</source>
        <translation>Ce qui est estimé&#xa0;: chaque tête, ou toutes les têtes qui partagent une tête clé-valeur comme une seule (les têtes masquées masquent aussi leurs groupes entiers)</translation>
    </message>
    <message>
        <source>The unit that is removed at a time: heads, or groups of heads that share a key-value head; --step, --greedy-step and --at-least count these</source>
        <translation>Ce qui est retiré à la fois&#xa0;: des têtes, ou des groupes de têtes qui partagent une tête clé-valeur&#xa0;; --step, --greedy-step et --at-least comptent ceux-ci</translation>
    </message>
    <message>
        <source>The folder with the checkpoints: epoch-001, checkpoint-500, step1000, ...; or of Hugging Face&apos;s cache the folder of a model (models--org--name), whose fetched branches they are</source>
        <translation>Le dossier des checkpoints&#xa0;: epoch-001, checkpoint-500, step1000, ...&#xa0;; ou, du cache de Hugging Face, le dossier d&apos;un modèle (models--org--name), dont ils sont les branches téléchargées</translation>
    </message>
    <message>
        <source>Log spaced</source>
        <translation>Espacés en log</translation>
    </message>
    <message>
        <source>So many of them, about equally far apart in the logarithms of their numbers, with the first and the last; one with the number 0 comes besides; 0 = all</source>
        <translation>Tant d&apos;entre eux, à peu près équidistants par les logarithmes de leurs numéros, avec le premier et le dernier&#xa0;; s&apos;y ajoute celui du numéro 0&#xa0;; 0 = tous</translation>
    </message>
    <message>
        <source>packing</source>
        <translation>empaquetage</translation>
    </message>
    <message>
        <source>unpacking</source>
        <translation>dépaquetage</translation>
    </message>
    <message>
        <source>importance, ablation, shapley, relevance, gating (each as the command of that name has it), random, greedy (at every step the head whose removal leaves the best score, all others measured anew), or a file with the heads in the order of removal (or a JSON result of ablate, importance or shapley)</source>
        <translation>importance, ablation, shapley, relevance, gating (chacun comme la commande de ce nom le donne), random, greedy (à chaque pas, la tête dont le retrait laisse le meilleur score, toutes les autres étant mesurées à nouveau), ou un fichier avec les têtes dans l’ordre de retrait (ou un résultat JSON d’ablate, d’importance ou de shapley)</translation>
    </message>
    <message>
        <source>Put a head&apos;s context of one text into the run of another: which heads carry the answer</source>
        <translation>Mettre le contexte d’une tête dans un texte à la place de celui d’un autre&#xa0;: quelles têtes portent la réponse</translation>
    </message>
    <message>
        <source>The unit that is patched at a time: a head, or all heads that share a key-value head</source>
        <translation>Ce qui est remplacé à la fois&#xa0;: une tête, ou toutes celles qui partagent une tête de clés et valeurs</translation>
    </message>
    <message>
        <source>How an answer is scored: its logit minus that of the wrong answer, its probability, its loss (-ln p), or whether it is likelier than the wrong answer</source>
        <translation>De la réponse&#xa0;: son logit moins celui de la mauvaise réponse, sa probabilité, sa perte (-ln p), ou si elle est plus probable que la mauvaise réponse</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>Sens</translation>
    </message>
    <message>
        <source>denoise: the corrupt text is run with a head&apos;s context of the clean one; noise: the clean text with that of the corrupt one</source>
        <translation>denoise&#xa0;: le texte altéré est lu avec le contexte d’une tête dans le texte d’origine&#xa0;; noise&#xa0;: le texte d’origine avec celui du texte altéré</translation>
    </message>
    <message>
        <source>Positions</source>
        <translation>Positions</translation>
    </message>
    <message>
        <source>Patch every head at every position by itself, too</source>
        <translation>Remplacer aussi chaque tête à chaque position séparément</translation>
    </message>
    <message>
        <source>Align</source>
        <translation>Alignement</translation>
    </message>
    <message>
        <source>How positions are counted where pairs have different lengths: from the start (0, 1, ...) or the end (..., -2, -1)</source>
        <translation>Comment les positions sont comptées si les paires n’ont pas la même longueur&#xa0;: depuis le début (0, 1, ...) ou la fin (..., -2, -1)</translation>
    </message>
    <message>
        <source>Resamples of the bootstrap over pairs; 0 = no intervals</source>
        <translation>Des intervalles bootstrap sur les paires&#xa0;; 0 = pas d’intervalles</translation>
    </message>
    <message>
        <source>Divide the score among the heads by their Shapley values, redundant heads included</source>
        <translation>Répartir le score entre les têtes par leurs valeurs de Shapley, têtes redondantes comprises</translation>
    </message>
    <message>
        <source>The unit that has a value: a head, or all heads that share a key-value head</source>
        <translation>Ce qui a une valeur&#xa0;: une tête, ou toutes celles qui partagent une tête de clés et valeurs</translation>
    </message>
    <message>
        <source>Whose heads have values; all others stay (default: all have)</source>
        <translation>Dont les têtes ont des valeurs&#xa0;; toutes les autres restent (par défaut&#xa0;: toutes en ont)</translation>
    </message>
    <message>
        <source>Orders</source>
        <translation>Ordres</translation>
    </message>
    <message>
        <source>Random orders of the heads, every second one the reverse of the one before. Where there are no more sets of heads than they would measure, all sets are measured and the values are exact</source>
        <translation>Ordres aléatoires des têtes, un sur deux étant l’inverse du précédent. S’il n’y a pas plus d’ensembles de têtes qu’ils n’en mesureraient, tous les ensembles sont mesurés et les valeurs sont exactes</translation>
    </message>
    <message>
        <source>Truncate</source>
        <translation>Arrêt</translation>
    </message>
    <message>
        <source>Stop removing heads in an order once the score is as near as this share of (all - none) to that without heads; the heads left share what is left alike. 0: never</source>
        <translation>Ne plus retirer de têtes dans un ordre dès que le score est à moins de cette part de (toutes - aucune) de celui sans têtes&#xa0;; les têtes restantes se partagent le reste à parts égales. 0&#xa0;: jamais</translation>
    </message>
    <message>
        <source>Draw no more orders once every value is known to ± X (half of its interval); 0: use all of --orders</source>
        <translation>Ne plus tirer d’ordres dès que chaque valeur est connue à ± X près (la moitié de son intervalle)&#xa0;; 0&#xa0;: tous ceux de --orders</translation>
    </message>
    <message>
        <source>Resamples of the bootstrap over examples and orders; 0 = no intervals</source>
        <translation>Du bootstrap sur les exemples et les ordres&#xa0;; 0 = pas d’intervalles</translation>
    </message>
    <message>
        <source>Measure pairs of heads: which stand in for each other, which need each other</source>
        <translation>Mesurer des paires de têtes&#xa0;: lesquelles se remplacent, lesquelles ont besoin l’une de l’autre</translation>
    </message>
    <message>
        <source>Among</source>
        <translation>Parmi</translation>
    </message>
    <message>
        <source>Only pairs of these heads: encoder.0.3,encoder.1.2; default: of all</source>
        <translation>Seulement les paires de ces têtes&#xa0;: encoder.0.3,encoder.1.2&#xa0;; par défaut&#xa0;: de toutes</translation>
    </message>
    <message>
        <source>The unit that is removed at a time: a head, or all heads that share a key-value head</source>
        <translation>Ce qui est retiré à la fois&#xa0;: une tête, ou toutes celles qui partagent une tête de clés et valeurs</translation>
    </message>
    <message>
        <source>Whose heads are looked at (default: all)</source>
        <translation>Dont les têtes sont examinées (par défaut&#xa0;: toutes)</translation>
    </message>
    <message>
        <source>Most</source>
        <translation>Au plus</translation>
    </message>
    <message>
        <source>Pairs measured at most: where there are more, those whose losses have the largest mixed derivatives by gradients (of the block Fisher matrix)</source>
        <translation>Nombre maximal de paires mesurées&#xa0;: s’il y en a plus, celles dont la perte a les plus grandes dérivées mixtes d’après les gradients (de la matrice de Fisher par blocs)</translation>
    </message>
    <message>
        <source>Resamples of the paired bootstrap; 0 = no intervals</source>
        <translation>Du bootstrap apparié&#xa0;; 0 = pas d’intervalles</translation>
    </message>
    <message>
        <source>patching heads</source>
        <translation>remplacement de contextes de têtes</translation>
    </message>
    <message>
        <source>measuring sets of heads</source>
        <translation>mesure d’ensembles de têtes</translation>
    </message>
    <message>
        <source>removing pairs of heads</source>
        <translation>retrait de paires de têtes</translation>
    </message>
    <message>
        <source>Find the sentences in which a head attends most to a token, a part of speech or an offset</source>
        <translation>Trouver les phrases où une tête prête le plus d’attention à un jeton, une catégorie grammaticale ou un décalage</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Tête</translation>
    </message>
    <message>
        <source>The head: encoder.2.6, cross.1.3</source>
        <translation>La tête : encoder.2.6, cross.1.3</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Jeton</translation>
    </message>
    <message>
        <source>Attention to this token, or to this word where it is several tokens, special tokens included ([SEP])</source>
        <translation>Attention à ce jeton, ou à ce mot s’il est fait de plusieurs jetons, jetons spéciaux compris ([SEP])</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Catégorie</translation>
    </message>
    <message>
        <source>Attention to words of this part of speech, such as VERB; needs trees (--conllu)</source>
        <translation>Attention aux mots de cette catégorie grammaticale, comme VERB ; il faut des arbres (--conllu)</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>Décalage</translation>
    </message>
    <message>
        <source>Attention to the token this far from the one that attends: -1 is the previous one; of cross-attention, from the diagonal</source>
        <translation>Attention au jeton à cette distance de celui qui porte l’attention : -1 est le précédent ; pour l’attention croisée, à partir de la diagonale</translation>
    </message>
    <message>
        <source>Places</source>
        <translation>Endroits</translation>
    </message>
    <message>
        <source>Most sentences that are listed</source>
        <translation>Nombre de phrases listées au plus</translation>
    </message>
    <message>
        <source>searching attention</source>
        <translation>recherche dans l’attention</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>passages</translation>
    </message>
    <message>
        <source>reading word vectors</source>
        <translation>lecture des vecteurs de mots</translation>
    </message>
    <message>
        <source>Rescale</source>
        <translation>Remettre à l’échelle</translation>
    </message>
    <message>
        <source>Multiply the heads that stay in a layer by its heads / those that stay, as an option of Michel et al.&apos;s code does; without it they stay as they are, as in the paper</source>
        <translation>Multiplier les têtes qui restent dans une couche par le nombre de ses têtes / celui des têtes qui restent, comme le fait une option du code de Michel et al.&#x202f;; sinon elles restent telles quelles, comme dans l’article</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>Exemple</translation>
    </message>
    <message>
        <source>This example alone (counted from 0): what each of its tokens contributes to each output, as spelt. --format csv: a line per step and token</source>
        <translation>Cet exemple seul (compté à partir de 0)&#xa0;: ce que chacun de ses tokens, tel qu’écrit, apporte à chaque sortie. --format csv&#xa0;: une ligne par étape et token</translation>
    </message>
    <message>
        <source>Random model</source>
        <translation>Modèle aléatoire</translation>
    </message>
    <message>
        <source>Probes of attention of the same model with random weights as well, which are not trained: what their training finds by itself</source>
        <translation>Sondes, en plus, de l’attention du même modèle à poids aléatoires, non entraîné&#xa0;: ce que leur entraînement trouve à lui seul</translation>
    </message>
    <message>
        <source>Vectors</source>
        <translation>Vecteurs</translation>
    </message>
    <message>
        <source>Word vectors (GloVe&apos;s text format: a word and its numbers in a line; plain, .gz or .xz) for further probes of the words, which also take the place of the model&apos;s own embeddings for --random-model</source>
        <translation>Vecteurs de mots (format texte de GloVe&#xa0;: un mot et ses nombres par ligne&#x202f;; texte simple, .gz ou .xz) pour d’autres sondes sur les mots&#x202f;; ils remplacent aussi les plongements du modèle pour --random-model</translation>
    </message>
    <message>
        <source>Paths to</source>
        <translation>Chemins vers</translation>
    </message>
    <message>
        <source>Path patching: let a head&apos;s patched context reach only this head (its queries, keys and values) or the output, while all other heads keep the contexts of the base run</source>
        <translation>Remplacement par chemins : le contexte remplacé d’une tête n’atteint que cette tête (ses requêtes, clés et valeurs) ou la sortie, toutes les autres têtes gardant les contextes de l’exécution de base</translation>
    </message>
    <message>
        <source>Circuits</source>
        <translation>Circuits</translation>
    </message>
    <message>
        <source>Measure circuits of growing size too: the heads with the largest effects keep their contexts, all others get those of the corrupt text</source>
        <translation>Mesurer aussi des circuits de taille croissante : les têtes aux plus grands effets gardent leurs contextes, toutes les autres reçoivent ceux du texte altéré</translation>
    </message>
    <message>
        <source>measuring circuits</source>
        <translation>mesure des circuits</translation>
    </message>
    <message>
        <source>running the example without heads</source>
        <translation>exécution de l’exemple sans têtes</translation>
    </message>
    <message>
        <source>direct contributions without the head</source>
        <translation>contributions directes sans la tête</translation>
    </message>
    <message>
        <source>fitting gates</source>
        <translation>ajustement des portes</translation>
    </message>
    <message>
        <source>sets of heads</source>
        <translation>ensembles de têtes</translation>
    </message>
    <message>
        <source>Remove a head, and see which other heads take over what it added to the answer</source>
        <translation>Retirer une tête et voir quelles autres têtes reprennent ce qu’elle ajoutait à la réponse</translation>
    </message>
    <message>
        <source>The head that is removed: decoder.9.6</source>
        <translation>La tête retirée : decoder.9.6</translation>
    </message>
    <message>
        <source>The unit that is removed: the head, or all heads that share its key-value head</source>
        <translation>Ce qui est retiré : la tête, ou toutes les têtes qui partagent sa tête clé-valeur</translation>
    </message>
    <message>
        <source>Replacement of the removed head&apos;s context: nothing; its mean over the data set; that of another example, as a control</source>
        <translation>Remplacement du contexte de la tête retirée : rien ; sa moyenne sur le jeu de données ; celui d’un autre exemple, comme contrôle</translation>
    </message>
    <message>
        <source>Keep the changes of every example, too</source>
        <translation>Conserver aussi les changements de chaque exemple</translation>
    </message>
    <message>
        <source>Resamples of the bootstrap over examples; 0 = no intervals</source>
        <translation>Du bootstrap sur les exemples ; 0 = pas d’intervalles</translation>
    </message>
    <message>
        <source>Fit gates that are pulled to 1 and to 0: which heads help the task, which interfere (Nam 2025)</source>
        <translation>Ajuster des portes tirées vers 1 et vers 0 : quelles têtes aident la tâche, lesquelles la gênent (Nam 2025)</translation>
    </message>
    <message>
        <source>Whose heads have gates (default: all)</source>
        <translation>Quelles têtes ont des portes (par défaut : toutes)</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>Graines</translation>
    </message>
    <message>
        <source>Fits from other beginnings, from --seed on</source>
        <translation>Ajustements depuis d’autres départs, à partir de --seed</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Étapes</translation>
    </message>
    <message>
        <source>Updates without a pull, and then as many with each of the two</source>
        <translation>Mises à jour sans traction, puis autant avec chacune des deux</translation>
    </message>
    <message>
        <source>Lambda</source>
        <translation>Lambda</translation>
    </message>
    <message>
        <source>Strength of the pull: loss per target token + lambda times the sum of the gates&apos; logits (to 0), or minus it (to 1)</source>
        <translation>De la traction : perte par token cible + lambda fois la somme des logits des portes (vers 0), ou moins celle-ci (vers 1)</translation>
    </message>
    <message>
        <source>Learning rate of Adam, on the gates&apos; logits</source>
        <translation>D’Adam, sur les logits des portes</translation>
    </message>
    <message>
        <source>Examples of an update</source>
        <translation>Exemples d’une mise à jour</translation>
    </message>
    <message>
        <source>Hard</source>
        <translation>Dures</translation>
    </message>
    <message>
        <source>Hard Concrete gates, as in `l0`, with the expected number of open heads as the pull, instead of soft ones; G is then the probability of being open</source>
        <translation>Portes Hard Concrete, comme dans `l0`, avec le nombre attendu de têtes ouvertes comme traction, au lieu de portes douces ; G est alors la probabilité d’être ouverte</translation>
    </message>
    <message>
        <source>Find the few heads that keep one example&apos;s output, and the few without which it changes</source>
        <translation>Trouver les quelques têtes qui conservent la sortie d’un exemple, et celles sans lesquelles elle change</translation>
    </message>
    <message>
        <source>The row of the data set, counted from 0</source>
        <translation>La ligne du jeu de données, comptée depuis 0</translation>
    </message>
    <message>
        <source>The unit that is left out at a time: a head, or all heads that share a key-value head</source>
        <translation>Ce qui est omis à la fois : une tête, ou toutes les têtes qui partagent une tête clé-valeur</translation>
    </message>
    <message>
        <source>Whose heads may be left out; all others stay (default: all)</source>
        <translation>Quelles têtes peuvent être omises ; toutes les autres restent (par défaut : toutes)</translation>
    </message>
    <message>
        <source>Replacement of a removed head&apos;s context: zero, or mean, over the data set</source>
        <translation>Remplacement du contexte d’une tête retirée : zéro, ou la moyenne sur le jeu de données</translation>
    </message>
    <message>
        <source>For a language model: only its guess of this token counts (0: the first one that is guessed; -1: the last), not those of all</source>
        <translation>D’un modèle de langue : seule compte sa prédiction de ce token (0 : le premier prédit ; -1 : le dernier), non celles de tous</translation>
    </message>
    <message>
        <source>Sets looked for: the first leaves those heads out first that change least by themselves, the others take random orders</source>
        <translation>Ensembles cherchés : le premier omet d’abord les têtes qui changent le moins à elles seules, les autres suivent des ordres aléatoires</translation>
    </message>
    <message>
        <source>Whose queries the mean is over: those of a head, or of all heads that share a key-value head</source>
        <translation>De quelles requêtes est la moyenne&#xa0;: celles d’une tête, ou de toutes celles qui partagent une tête de clés et valeurs</translation>
    </message>
    <message>
        <source>Replacement of a removed head&apos;s context: nothing (zero), its mean, that of other examples (resample), the constant that makes the loss lowest (optimal: Li and Janson 2024); window: nothing is removed, but the head sees only the first keys and those near the query (cross-attention is left out)</source>
        <translation>Ce qui remplace le contexte d&apos;une tête retirée&#xa0;: rien (zero), sa moyenne (mean), celui d&apos;autres exemples (resample), la constante qui rend la perte la plus basse (optimal&#xa0;: Li et Janson 2024)&#xa0;; window&#xa0;: rien n&apos;est retiré, mais la tête ne voit que les premières clés et celles proches de la requête (l&apos;attention croisée est laissée de côté)</translation>
    </message>
    <message>
        <source>Fit examples</source>
        <translation>Exemples d&apos;ajustement</translation>
    </message>
    <message>
        <source>For --replace optimal: examples that constants are fitted to, in the order of the seed; default: 64</source>
        <translation>Pour --replace optimal&#xa0;: exemples auxquels les constantes sont ajustées, dans l&apos;ordre de la graine&#xa0;; par défaut&#xa0;: 64</translation>
    </message>
    <message>
        <source>Fit steps</source>
        <translation>Pas d&apos;ajustement</translation>
    </message>
    <message>
        <source>For --replace optimal: steps of the descent, for each head; default: 20</source>
        <translation>Pour --replace optimal&#xa0;: pas de la descente, pour chaque tête&#xa0;; par défaut&#xa0;: 20</translation>
    </message>
    <message>
        <source>Sinks</source>
        <translation>Premières clés</translation>
    </message>
    <message>
        <source>For --replace window: keys from the beginning that a head still sees; default: 4</source>
        <translation>Pour --replace window&#xa0;: clés du début que la tête voit encore&#xa0;; par défaut&#xa0;: 4</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenêtre</translation>
    </message>
    <message>
        <source>For --replace window: a head still sees the keys at a distance from the query below this (1: its own only; of a decoder the last so many, of an encoder on both sides); default: 64</source>
        <translation>Pour --replace window&#xa0;: la tête voit encore les clés à une distance de la requête inférieure à ce nombre (1&#xa0;: la sienne seulement&#xa0;; d&apos;un décodeur les dernières, d&apos;un encodeur des deux côtés)&#xa0;; par défaut&#xa0;: 64</translation>
    </message>
    <message>
        <source>For --replace mean, resample and optimal: the data set that contexts are taken from, or constants fitted to</source>
        <translation>Pour --replace mean, resample et optimal&#xa0;: le jeu de données dont les contextes sont tirés, ou auquel les constantes sont ajustées</translation>
    </message>
    <message>
        <source>Keys from the beginning that a sink head looks at; default: 4</source>
        <translation>Clés du début que regarde une tête puits&#xa0;; par défaut&#xa0;: 4</translation>
    </message>
    <message>
        <source>Other keys at this distance from the query or more are distant, as `ablate --replace window` hides them; default: 64</source>
        <translation>Les autres clés à cette distance de la requête ou plus sont lointaines, comme `ablate --replace window` les cache&#xa0;; par défaut&#xa0;: 64</translation>
    </message>
    <message>
        <source>fitting constants</source>
        <translation>ajustement des constantes</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>pas</translation>
    </message>
    <message>
        <source>retrieval</source>
        <translation>recherche lointaine</translation>
    </message>
    <message>
        <source>sink</source>
        <translation>puits</translation>
    </message>
    <message>
        <source>shapley</source>
        <translation>Shapley</translation>
    </message>
    <message>
        <source>gating</source>
        <translation>portes</translation>
    </message>
    <message>
        <source>Order precision</source>
        <translation>Précision par ordres</translation>
    </message>
    <message>
        <source>Triples</source>
        <translation>Triplets</translation>
    </message>
    <message>
        <source>Also measure all triples of the heads, which --among limits to 12 at most</source>
        <translation>Mesurer aussi tous les triplets de ces têtes, que --among limite à 12 au plus</translation>
    </message>
    <message>
        <source>Resamples of the bootstrap interval; 0 = no interval; default: as many as a sweep of the model has</source>
        <translation>De l’intervalle par rééchantillonnage&#xa0;; 0 = pas d’intervalle&#xa0;; par défaut&#xa0;: autant qu’en a un balayage du modèle</translation>
    </message>
    <message>
        <source>Sum of which the absolute value is taken: every token, example or batch; fisher: the sum over batches of squares (Fisher information, of which `search` takes the mean over batches). Which examples are a batch only --seed and the size of batches decide</source>
        <translation>Ce dont on prend la valeur absolue&#xa0;: chaque jeton, exemple ou lot&#xa0;; fisher&#xa0;: la somme des carrés sur les lots (information de Fisher, dont `search` prend la moyenne sur les lots). Seuls --seed et la taille des lots décident quels exemples forment un lot</translation>
    </message>
    <message>
        <source>Resamples of the bootstrap intervals and tests, and of the sweep of --order ablation; default: as many as `ablate` has</source>
        <translation>Des intervalles et tests par rééchantillonnage, et du balayage de --order ablation&#xa0;; par défaut&#xa0;: autant qu’en a `ablate`</translation>
    </message>
    <message>
        <source>Resamples of the bootstrap intervals and tests; default: as many as `ablate` has</source>
        <translation>Des intervalles et tests par rééchantillonnage&#xa0;; par défaut&#xa0;: autant qu’en a `ablate`</translation>
    </message>
    <message>
        <source>Draw no more orders once every value of these very examples is known to ± X (half of the 95 % interval by the orders drawn, Student&apos;s t); 0: use all of --orders</source>
        <translation>Ne plus tirer d’ordres dès que chaque valeur de ces exemples mêmes est connue à ± X près (moitié de l’intervalle à 95&#xa0;% d’après les ordres tirés, loi de Student)&#xa0;; 0&#xa0;: utiliser tous ceux de --orders</translation>
    </message>
    <message>
        <source>Smaller sets that are tried, as far as all of a size are no more than this, to prove that no part of a set would do, and that no smaller set would; and to find a set that changes the output where --orders find none: all sets, small ones first</source>
        <translation>Ensembles plus petits essayés, tant que tous ceux d’une taille ne dépassent pas ce nombre, pour prouver qu’aucune partie d’un ensemble ne suffirait, ni aucun ensemble plus petit&#xa0;; et pour trouver un ensemble qui change la sortie là où --orders n’en trouve pas&#xa0;: tous les ensembles, les petits d’abord</translation>
    </message>
    <message>
        <source>Folder in which the results of each checkpoint are kept, so that none is computed twice; default: in the user&apos;s folder for what can be made anew, for 90 days</source>
        <translation>Dossier où sont gardés les résultats de chaque point de contrôle, pour que rien ne soit calculé deux fois&#xa0;; par défaut&#xa0;: dans le dossier de l’utilisateur pour ce qui peut être refait, pendant 90 jours</translation>
    </message>
    <message>
        <source>How BLEU cuts texts into words, as sacrebleu --tokenize: 13a, zh, char, none, or flores200:FILE (the SentencePiece model of FLORES-200); default: zh for Chinese, char for other languages without blanks between words, 13a otherwise</source>
        <translation>Comment BLEU découpe les textes en mots, comme sacrebleu --tokenize&#xa0;: 13a, zh, char, none ou flores200:FICHIER (le modèle SentencePiece de FLORES-200)&#xa0;; par défaut&#xa0;: zh pour le chinois, char pour les autres langues sans espaces entre les mots, 13a sinon</translation>
    </message>
    <message>
        <source>reading weights: %1 of memory</source>
        <translation>lecture des poids : %1 de mémoire</translation>
    </message>
    <message>
        <source>attention maps</source>
        <translation>cartes d’attention</translation>
    </message>
    <message>
        <source>report, %1, %2</source>
        <translation>rapport, %1, %2</translation>
    </message>
    <message>
        <source>connecting to %1</source>
        <translation>connexion à %1</translation>
    </message>
    <message>
        <source>waiting for %1, which cannot be reached</source>
        <translation>en attente de %1, qui est injoignable</translation>
    </message>
    <message>
        <source>%1 shards on the cluster</source>
        <translation>%1 parts sur la grappe</translation>
    </message>
    <message>
        <source>result on the cluster</source>
        <translation>résultat sur la grappe</translation>
    </message>
    <message>
        <source>scoring: %1</source>
        <translation>évaluation : %1</translation>
    </message>
    <message>
        <source>measuring speed</source>
        <translation>mesure de la vitesse</translation>
    </message>
    <message>
        <source>opening %1</source>
        <translation>ouverture de %1</translation>
    </message>
    <message>
        <source>batches</source>
        <translation>lots</translation>
    </message>
    <message>
        <source>Find induction, previous-token, duplicate-token, first-token and copying heads on random tokens</source>
        <translation>Trouve les têtes d’induction, de token précédent, de token répété, de premier token et de copie sur des tokens aléatoires</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Longueur</translation>
    </message>
    <message>
        <source>Random tokens that are repeated; fewer where the model has not as many positions or tokens</source>
        <translation>Tokens aléatoires qui sont répétés ; moins si le modèle n’a pas autant de positions ou de tokens</translation>
    </message>
    <message>
        <source>Sequences</source>
        <translation>Séquences</translation>
    </message>
    <message>
        <source>Generated sequences, which intervals and p are over</source>
        <translation>Séquences générées, sur lesquelles portent intervalles et p</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>Seuil</translation>
    </message>
    <message>
        <source>Mean attention to a detector&apos;s key that a head must have more of to be labelled</source>
        <translation>Attention moyenne à la clé d’un détecteur qu’une tête doit dépasser pour être étiquetée</translation>
    </message>
    <message>
        <source>Copying threshold</source>
        <translation>Seuil de copie</translation>
    </message>
    <message>
        <source>Share of queries at which the attended token must gain, for the label copying</source>
        <translation>Part des requêtes où le token regardé doit gagner, pour l’étiquette copie</translation>
    </message>
    <message>
        <source>Find what the weights of heads copy, match and compose with, without any data: OV and QK circuits</source>
        <translation>Trouve ce que les poids des têtes copient, comparent et composent, sans données : circuits OV et QK</translation>
    </message>
    <message>
        <source>Without composition</source>
        <translation>Sans composition</translation>
    </message>
    <message>
        <source>Leave the composition of pairs of heads out</source>
        <translation>Omettre la composition des paires de têtes</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Valeurs</translation>
    </message>
    <message>
        <source>All singular values and eigenvalues of every head</source>
        <translation>Toutes les valeurs singulières et propres de chaque tête</translation>
    </message>
    <message>
        <source>Column of what a minimal pair tests, or of a question&apos;s subject, for scores by it; default: UID, subject; &quot;none&quot;: there is none</source>
        <translation>Colonne de ce que teste une paire minimale, ou du sujet d’une question, pour des scores par groupe ; par défaut : UID, subject ; « none » : il n’y en a pas</translation>
    </message>
    <message>
        <source>Questions: what the model reads of a row, with columns in braces: &quot;Question: {question}\nAnswer:&quot;; default: as lm-evaluation-harness asks those of ARC, HellaSwag, MMLU and BoolQ, else the context</source>
        <translation>Questions : ce que le modèle lit d’une ligne, colonnes entre accolades : « Question: {question}\nAnswer: » ; par défaut : comme lm-evaluation-harness pose celles de ARC, HellaSwag, MMLU et BoolQ, sinon le contexte</translation>
    </message>
    <message>
        <source>The last word of each text is asked for, as LAMBADA does</source>
        <translation>Le dernier mot de chaque texte est demandé, comme dans LAMBADA</translation>
    </message>
    <message>
        <source>Questions: the first N of --shots-file stand before every question with their answers</source>
        <translation>Questions : les N premières de --shots-file précèdent chaque question avec leurs réponses</translation>
    </message>
    <message>
        <source>reading repeated tokens</source>
        <translation>lecture de tokens répétés</translation>
    </message>
    <message>
        <source>composing heads</source>
        <translation>composition des têtes</translation>
    </message>
    <message>
        <source>looking at weights</source>
        <translation>examen des poids</translation>
    </message>
    <message>
        <source>sequences</source>
        <translation>séquences</translation>
    </message>
    <message>
        <source>Find the tokens that the weights of heads read, write and match, without any data</source>
        <translation>Trouver les tokens que les poids des têtes lisent, écrivent et cherchent, sans données</translation>
    </message>
    <message>
        <source>Token id</source>
        <translation>Numéro du token</translation>
    </message>
    <message>
        <source>The same of a row of the table of embeddings, counted from 0</source>
        <translation>De même pour une ligne de la table des plongements, comptée à partir de 0</translation>
    </message>
    <message>
        <source>Directions</source>
        <translation>Directions</translation>
    </message>
    <message>
        <source>Singular directions of OV and QK of every head, the largest first</source>
        <translation>Directions singulières d’OV et de QK de chaque tête, la plus grande d’abord</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>Nombre de tokens</translation>
    </message>
    <message>
        <source>Tokens at each end</source>
        <translation>Tokens à chaque bout</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Têtes</translation>
    </message>
    <message>
        <source>Only these heads: decoder.0.3,decoder.1.2; default: all</source>
        <translation>Seulement ces têtes&#xa0;: decoder.0.3,decoder.1.2&#xa0;; par défaut&#xa0;: toutes</translation>
    </message>
    <message>
        <source>looking at tokens</source>
        <translation>lecture des tokens</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Partie</translation>
    </message>
    <message>
        <source>Part of a head that is patched: its context (all that it makes of the text), or a part of that: its queries, keys, values, or its pattern (the attention weights). Keys and values that heads share are patched for all heads of the group</source>
        <translation>Partie de la tête qui est remplacée : son contexte (tout ce qu’elle fait du texte), ou une partie de celui-ci : ses requêtes, ses clés, ses valeurs, ou son motif (les poids d’attention). Les clés et valeurs que des têtes partagent sont remplacées pour toutes les têtes du groupe</translation>
    </message>
    <message>
        <source>Follow the direct paths from head to head: query, key, value and logits apart</source>
        <translation>Suivre les chemins directs de tête à tête : requête, clé, valeur et logits à part</translation>
    </message>
    <message>
        <source>From</source>
        <translation>De</translation>
    </message>
    <message>
        <source>Only paths from these heads: decoder.0.3,decoder.1.2; default: from all</source>
        <translation>Seulement les chemins partant de ces têtes : decoder.0.3,decoder.1.2 ; par défaut : de toutes</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Vers</translation>
    </message>
    <message>
        <source>Only paths to these heads, or &quot;logits&quot;; default: to all</source>
        <translation>Seulement les chemins vers ces têtes, ou « logits » ; par défaut : vers toutes</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>Entrées</translation>
    </message>
    <message>
        <source>Where paths end: query, key, value, all three together, logits; default: query, key, value and logits, each by itself. Keys and values that heads share are of their group</source>
        <translation>Où les chemins finissent : requête, clé, valeur, les trois ensemble, logits ; par défaut : requête, clé, valeur et logits, chacun à part. Les clés et valeurs que des têtes partagent sont celles de leur groupe</translation>
    </message>
    <message>
        <source>denoise: the corrupt text is run with the sender&apos;s context of the clean one; noise: the clean text with that of the corrupt one</source>
        <translation>denoise : le texte corrompu est calculé avec le contexte que l’émettrice a dans le texte propre ; noise : le texte propre avec celui du texte corrompu</translation>
    </message>
    <message>
        <source>Feed forward</source>
        <translation>Couches feed-forward</translation>
    </message>
    <message>
        <source>Feed-forward layers between sender and receiver: recomputed, so that they read the sender&apos;s change too, or frozen as in the base run</source>
        <translation>Couches feed-forward entre émettrice et réceptrice : recalculées, de sorte qu’elles lisent aussi le changement de l’émettrice, ou figées comme dans le calcul de base</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Méthode</translation>
    </message>
    <message>
        <source>exact: every path by a run from its receiver on; linear: all of them by gradients (edge attribution)</source>
        <translation>exact : chaque chemin par un calcul à partir de sa réceptrice ; linear : tous par gradients (edge attribution)</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Vérifier</translation>
    </message>
    <message>
        <source>For --method linear: so many of the strongest paths are computed exactly too</source>
        <translation>Pour --method linear : autant des chemins les plus forts sont aussi calculés exactement</translation>
    </message>
    <message>
        <source>Tokens of this text: which tokens heads write for them, and which keys match them as queries; most words begin with a blank</source>
        <translation>Tokens de ce texte : quels tokens les têtes écrivent pour eux, et quelles clés leur correspondent comme requêtes ; la plupart des mots commencent par une espace</translation>
    </message>
    <message>
        <source>patching paths</source>
        <translation>chemins du patching</translation>
    </message>
    <message>
        <source>Find the heads that carry the task which examples in a prompt show, and their function vector</source>
        <translation>Trouver les têtes qui portent la tâche que montrent les exemples d’un prompt, et leur vecteur de fonction</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>Tâches</translation>
    </message>
    <message>
        <source>Tasks, separated by commas: opposites, plurals, capitals, past-tense, or tables (.csv, .tsv, .jsonl) with the columns input and output</source>
        <translation>Tâches, séparées par des virgules : opposites, plurals, capitals, past-tense, ou tableaux (.csv, .tsv, .jsonl) avec les colonnes input et output</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>Modèle de prompt</translation>
    </message>
    <message>
        <source>How a pair becomes an example of a prompt, &quot;\n&quot; being a new line; the question is all that stands before {output}</source>
        <translation>Comment une paire devient un exemple d’un prompt, « \n » étant un retour à la ligne ; la question est tout ce qui précède {output}</translation>
    </message>
    <message>
        <source>Prompt start</source>
        <translation>Début des prompts</translation>
    </message>
    <message>
        <source>Token that prompts begin with: bos (the model&apos;s first token, else its end token) or none (only what its tokenizer begins texts with)</source>
        <translation>Token par lequel les prompts commencent : bos (le premier token du modèle, sinon son token de fin) ou none (seulement ce par quoi son tokenizer commence les textes)</translation>
    </message>
    <message>
        <source>Shots</source>
        <translation>Exemples</translation>
    </message>
    <message>
        <source>Examples of a prompt</source>
        <translation>Exemples d’un prompt</translation>
    </message>
    <message>
        <source>Mean prompts</source>
        <translation>Prompts de la moyenne</translation>
    </message>
    <message>
        <source>Prompts of each task that a head&apos;s mean context is of</source>
        <translation>Prompts de chaque tâche sur lesquels est pris le contexte moyen d’une tête</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Prompts of each task with shuffled outputs that effects of heads are measured on</source>
        <translation>Prompts de chaque tâche, aux sorties mélangées, sur lesquels les effets des têtes sont mesurés</translation>
    </message>
    <message>
        <source>Heads with the largest effects that the vector is the sum of</source>
        <translation>Têtes aux plus grands effets dont le vecteur est la somme</translation>
    </message>
    <message>
        <source>Held out</source>
        <translation>Mises de côté</translation>
    </message>
    <message>
        <source>Share of a task&apos;s pairs that prompts never show, which the vector is tried on</source>
        <translation>Part des paires d’une tâche que les prompts ne montrent jamais, sur lesquelles le vecteur est essayé</translation>
    </message>
    <message>
        <source>Sets</source>
        <translation>Ensembles</translation>
    </message>
    <message>
        <source>Sets of random heads that the top heads are compared with</source>
        <translation>Ensembles de têtes au hasard auxquels les meilleures têtes sont comparées</translation>
    </message>
    <message>
        <source>Least effect</source>
        <translation>Effet minimal</translation>
    </message>
    <message>
        <source>Change of the probability that a head must make to be labelled</source>
        <translation>Changement de la probabilité qu’une tête doit produire pour être étiquetée</translation>
    </message>
    <message>
        <source>mean contexts behind examples</source>
        <translation>contextes moyens après les exemples</translation>
    </message>
    <message>
        <source>effects of heads on prompts</source>
        <translation>effets des têtes sur les prompts</translation>
    </message>
    <message>
        <source>function vectors in layers</source>
        <translation>vecteurs de fonction dans les couches</translation>
    </message>
    <message>
        <source>prompts without heads</source>
        <translation>prompts sans des têtes</translation>
    </message>
    <message>
        <source>prompts</source>
        <translation>prompts</translation>
    </message>
    <message>
        <source>Resamples of the bootstrap over pairs; 0 = no intervals. For p of paths that none of them contradicts, more are drawn</source>
        <translation>Rééchantillons du bootstrap sur les paires ; 0 = pas d’intervalles. Pour le p des chemins qu’aucun ne contredit, davantage sont tirés</translation>
    </message>
    <message>
        <source>Find the heads that copy a fact hidden in a long text into the answer</source>
        <translation>Trouver les têtes qui copient dans la réponse un fait caché dans un long texte</translation>
    </message>
    <message>
        <source>Needles</source>
        <translation>Aiguilles</translation>
    </message>
    <message>
        <source>Facts to hide: a table (.csv, .tsv, .jsonl) with the columns needle, question and answer; default: 20 invented ones</source>
        <translation>Faits à cacher : un tableau (.csv, .tsv, .jsonl) avec les colonnes needle, question et answer ; par défaut : 20 faits inventés</translation>
    </message>
    <message>
        <source>Haystack</source>
        <translation>Botte de foin</translation>
    </message>
    <message>
        <source>Running text that needles are hidden in, again from its beginning where it is too short; default: a text of the program</source>
        <translation>Texte suivi où les aiguilles sont cachées, repris depuis son début là où il est trop court ; par défaut : un texte du programme</translation>
    </message>
    <message>
        <source>How text and question become a prompt, &quot;\n&quot; being a new line: {context} and, behind it, {question}. A chat model needs its marks around them</source>
        <translation>Comment le texte et la question deviennent un prompt, « \n » étant une nouvelle ligne : {context} puis, derrière, {question}. Un modèle de dialogue a besoin de ses marques autour d’eux</translation>
    </message>
    <message>
        <source>Lengths</source>
        <translation>Longueurs</translation>
    </message>
    <message>
        <source>Tokens of prompts, at most; fewer where the model has not as many positions</source>
        <translation>Tokens des prompts, au plus ; moins là où le modèle n’a pas autant de positions</translation>
    </message>
    <message>
        <source>Depths</source>
        <translation>Profondeurs</translation>
    </message>
    <message>
        <source>Places of needles in a text, evenly from its beginning to its end; 1: in the middle</source>
        <translation>Places des aiguilles dans un texte, réparties de son début à sa fin ; 1 : au milieu</translation>
    </message>
    <message>
        <source>Needles each</source>
        <translation>Aiguilles par place</translation>
    </message>
    <message>
        <source>Needles at each length and depth, all needles in turn; 0 = all</source>
        <translation>Aiguilles à chaque longueur et profondeur, toutes à tour de rôle ; 0 = toutes</translation>
    </message>
    <message>
        <source>Mean score that a head must have more of to be labelled</source>
        <translation>Score moyen qu’une tête doit dépasser pour être étiquetée</translation>
    </message>
    <message>
        <source>Count wrong</source>
        <translation>Compter les fausses</translation>
    </message>
    <message>
        <source>Scores are means over runs with a wrong answer, too</source>
        <translation>Les scores sont des moyennes qui comptent aussi les passages dont la réponse est fausse</translation>
    </message>
    <message>
        <source>Heads with the largest scores that are masked together; 0 = none are masked</source>
        <translation>Têtes aux plus grands scores, masquées ensemble ; 0 = aucune n’est masquée</translation>
    </message>
    <message>
        <source>answers about hidden facts</source>
        <translation>réponses sur les faits cachés</translation>
    </message>
    <message>
        <source>answers without heads</source>
        <translation>réponses sans têtes</translation>
    </message>
</context>
<context>
    <name>headscope::CostsModel</name>
    <message>
        <source>any</source>
        <translation>toute longueur</translation>
    </message>
    <message>
        <source>How projections are shared, and heads removed</source>
        <translation>Comment les projections sont partagées et les têtes retirées</translation>
    </message>
    <message>
        <source>model</source>
        <translation>modèle</translation>
    </message>
    <message>
        <source>Of the model, without any training</source>
        <translation>Du modèle, sans aucun entraînement</translation>
    </message>
    <message>
        <source>Of the whole model</source>
        <translation>Du modèle entier</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>paramètres</translation>
    </message>
    <message>
        <source>Of query and key projections, with what belongs to them</source>
        <translation>Des projections de requêtes et de clés, avec ce qui en fait partie</translation>
    </message>
    <message>
        <source>Parameters of query and key projections of the model as it is, by these</source>
        <translation>Paramètres des projections de requêtes et de clés du modèle tel quel, divisés par ceux-ci</translation>
    </message>
    <message>
        <source>times smaller</source>
        <translation>fois plus petit</translation>
    </message>
    <message>
        <source>Multiply-adds of the attention scores of a sequence of %1 tokens, the mean of the data set</source>
        <translation>Multiplications-additions des scores d’attention d’une séquence de %1 tokens, la moyenne du jeu de données</translation>
    </message>
    <message>
        <source>multiply-adds</source>
        <translation>multiplications-additions</translation>
    </message>
    <message>
        <source>Tokens up to which scores take fewer multiply-adds than before: every head multiplies all shared columns</source>
        <translation>Nombre de tokens jusqu’auquel les scores demandent moins de multiplications-additions qu’avant&#xa0;: chaque tête multiplie toutes les colonnes partagées</translation>
    </message>
    <message>
        <source>That the factorizations of all attentions took, several of which run at once</source>
        <translation>Durée des factorisations de toutes les attentions, dont plusieurs s’exécutent à la fois</translation>
    </message>
    <message>
        <source>score</source>
        <translation>score</translation>
    </message>
    <message>
        <source>of query and key</source>
        <translation>des requêtes et clés</translation>
    </message>
    <message>
        <source>break-even length</source>
        <translation>longueur d’équilibre</translation>
    </message>
    <message>
        <source>factorization (s)</source>
        <translation>factorisation (s)</translation>
    </message>
</context>
<context>
    <name>headscope::CurvesTable</name>
    <message>
        <source>Curve</source>
        <translation>Courbe</translation>
    </message>
    <message>
        <source>Knee</source>
        <translation>Coude</translation>
    </message>
    <message>
        <source>Heads removed where the curve bends most: the diamond</source>
        <translation>Têtes retirées là où la courbe plie le plus : le losange</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>Courbes</translation>
    </message>
    <message>
        <source>out: %1</source>
        <translation>hors : %1</translation>
    </message>
    <message>
        <source>in: %1</source>
        <translation>dans : %1</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>Marge</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Perte</translation>
    </message>
    <message>
        <source>Heads that can go for a loss below the margin, at 95 % confidence: the square. ?: it cannot be told</source>
        <translation>Têtes qui peuvent partir pour une perte inférieure à la marge, avec une confiance de 95&#xa0;%&#xa0;: le carré.&#xa0;?&#xa0;: on ne peut pas le dire</translation>
    </message>
    <message>
        <source>Heads removed at the first significant loss: the ring</source>
        <translation>Têtes retirées à la première perte significative&#xa0;: l’anneau</translation>
    </message>
</context>
<context>
    <name>headscope::DataSlotEdit</name>
    <message>
        <source>one sentence a line</source>
        <translation>une phrase par ligne</translation>
    </message>
    <message>
        <source>one sentence a line (.gz and .xz too)</source>
        <translation>une phrase par ligne (.gz et .xz aussi)</translation>
    </message>
    <message>
        <source>%1: form</source>
        <translation>%1&#xa0;: forme</translation>
    </message>
    <message>
        <source>Trees</source>
        <translation>Arbres</translation>
    </message>
    <message>
        <source>all</source>
        <translation>aucune</translation>
    </message>
    <message>
        <source>%1: how many examples</source>
        <translation>%1&#xa0;: nombre d’exemples</translation>
    </message>
    <message>
        <source>Use first</source>
        <translation>Limite</translation>
    </message>
    <message>
        <source>%1: dependency trees</source>
        <translation>%1&#xa0;: arbres de dépendances</translation>
    </message>
    <message>
        <source>CoNLL-U (*.conllu *.conllu.gz *.conllu.xz);;All files (*)</source>
        <translation>CoNLL-U (*.conllu *.conllu.gz *.conllu.xz);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>dependency trees (CoNLL-U), for syntactic roles</source>
        <translation>arbres de dépendances (CoNLL-U), pour les rôles syntaxiques</translation>
    </message>
    <message>
        <source>Dependency trees of the texts above, sentence by sentence. Without texts above, its sentences are the data set; no references are needed to see what heads attend to</source>
        <translation>Arbres de dépendances des textes ci-dessus, phrase par phrase. Seuls, ils forment un jeu de données&#xa0;: leurs phrases sont les textes, et aucune référence n’est nécessaire pour voir ce que regardent les têtes</translation>
    </message>
    <message>
        <source>%1: first rows</source>
        <translation>%1&#xa0;: premières lignes</translation>
    </message>
    <message>
        <source>Two text files, line by line</source>
        <translation>Deux fichiers texte, ligne à ligne</translation>
    </message>
    <message>
        <source>A table</source>
        <translation>Un tableau</translation>
    </message>
    <message>
        <source>Running text</source>
        <translation>Texte courant</translation>
    </message>
    <message>
        <source> sentences</source>
        <translation> phrases</translation>
    </message>
    <message>
        <source> rows</source>
        <translation> lignes</translation>
    </message>
    <message>
        <source> texts</source>
        <translation> textes</translation>
    </message>
    <message>
        <source>Preview data</source>
        <translation>Aperçu des données</translation>
    </message>
    <message>
        <source>Which column of the table holds the texts? Choose it above.</source>
        <translation>Quelle colonne du tableau contient les textes&#xa0;? La choisir ci-dessus.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln sentences, %1 words each on average</source>
        <translation>
            <numerusform>%Ln phrase de %1 mots en moyenne</numerusform>
            <numerusform>%Ln phrases de %1 mots en moyenne</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln rows, %1 words each on average</source>
        <translation>
            <numerusform>%Ln ligne de %1 mots en moyenne</numerusform>
            <numerusform>%Ln lignes de %1 mots en moyenne</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln texts, %1 words each on average</source>
        <translation>
            <numerusform>%Ln texte de %1 mots en moyenne</numerusform>
            <numerusform>%Ln textes de %1 mots en moyenne</numerusform>
        </translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Source</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Référence</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Worse text</source>
        <translation>Texte moins bon</translation>
    </message>
    <message>
        <source>Paradigm</source>
        <translation>Paradigme</translation>
    </message>
    <message>
        <source>Second text</source>
        <translation>Second texte</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Étiquette</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Invite</translation>
    </message>
    <message>
        <source>Choices</source>
        <translation>Choix</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Réponse</translation>
    </message>
</context>
<context>
    <name>headscope::DomainsPage</name>
    <message>
        <source>&amp;Domains</source>
        <translation>&amp;Domaines</translation>
    </message>
    <message>
        <source>no data set chosen</source>
        <translation>aucun jeu de données choisi</translation>
    </message>
    <message>
        <source>No model is open. Open a model folder and two data sets to compare its heads on them.</source>
        <translation>Aucun modèle n’est ouvert. Ouvrir un dossier de modèle et deux jeux de données pour y comparer ses têtes.</translation>
    </message>
    <message>
        <source>Two data sets are needed: choose an in-domain and an out-of-domain one.</source>
        <translation>Deux jeux de données sont nécessaires&#xa0;: en choisir un dans le domaine et un hors domaine.</translation>
    </message>
    <message>
        <source>A second data set is needed: choose the %1 one.</source>
        <translation>Un second jeu de données est nécessaire&#xa0;: choisir celui %1.</translation>
    </message>
    <message>
        <source>out-of-domain</source>
        <translation>hors domaine</translation>
    </message>
    <message>
        <source>in-domain</source>
        <translation>dans le domaine</translation>
    </message>
    <message>
        <source>The scatter appears when %1 is known on both data sets.</source>
        <translation>Le nuage de points s’affiche dès que %1 est connu sur les deux jeux de données.</translation>
    </message>
    <message>
        <source>pp</source>
        <translation>pp</translation>
    </message>
    <message>
        <source>%1, both data sets</source>
        <translation>%1, deux jeux de données</translation>
    </message>
    <message>
        <source>Scatter of %1</source>
        <translation>Nuage de points&#xa0;: %1</translation>
    </message>
    <message>
        <source>%1 of every head, in-domain (%2) against out-of-domain (%3). %4. Dashed: equal on both.%5</source>
        <translation>%1 de chaque tête, dans le domaine (%2) et hors domaine (%3). %4. Tirets&#xa0;: égalité sur les deux.%5</translation>
    </message>
    <message>
        <source>outdated, %1</source>
        <translation>périmé, %1</translation>
    </message>
    <message>
        <source>%1, %2 of %3 significant</source>
        <translation>%1, %2 significatives sur %3</translation>
    </message>
    <message>
        <source>%1 of %2 significant</source>
        <translation>%1 significatives sur %2</translation>
    </message>
    <message>
        <source>not tested yet</source>
        <translation>pas encore testé</translation>
    </message>
    <message>
        <source>not tested: compute the ablation again to test it</source>
        <translation>non testé : recalculez l’ablation pour le tester</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>différence</translation>
    </message>
    <message>
        <source>out − in</source>
        <translation>hors − dans</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>From left to right: %1.</source>
        <translation>De gauche à droite : %1.</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>nothing computed yet</source>
        <translation>rien de calculé pour l’instant</translation>
    </message>
    <message>
        <source>In-domain against out-of-domain</source>
        <translation>Dans le domaine contre hors domaine</translation>
    </message>
    <message>
        <source>Below: %1 Dashed: equal on both.</source>
        <translation>En bas : %1 Tirets : égal sur les deux.</translation>
    </message>
</context>
<context>
    <name>headscope::DynamicsPage</name>
    <message>
        <source>Heads over &amp;training now</source>
        <translation>É&amp;volution des têtes maintenant</translation>
    </message>
    <message>
        <source>Over ti&amp;me</source>
        <translation>É&amp;volution</translation>
    </message>
    <message>
        <source>Score over training, by share of heads removed</source>
        <translation>Score au fil de l’entraînement, par part de têtes retirées</translation>
    </message>
    <message>
        <source>Score by share of heads removed, for the chosen checkpoints</source>
        <translation>Score selon la part de têtes retirées, pour les checkpoints choisis</translation>
    </message>
    <message>
        <source>Mean distance of the heads of a layer, over training</source>
        <translation>Distance entre les têtes d’une couche au fil de l’entraînement</translation>
    </message>
    <message>
        <source>Measure of the heads</source>
        <translation>Ce qui est affiché des têtes</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>Heads at the checkpoint</source>
        <translation>Têtes au checkpoint</translation>
    </message>
    <message>
        <source>Training run</source>
        <translation>Entraînement</translation>
    </message>
    <message>
        <source>Folder with the checkpoints</source>
        <translation>Dossier des checkpoints</translation>
    </message>
    <message>
        <source>Folder with epoch-001, checkpoint-500 …</source>
        <translation>Dossier contenant epoch-001, checkpoint-500 …</translation>
    </message>
    <message>
        <source>C&amp;urves only</source>
        <translation>Courbes &amp;seules</translation>
    </message>
    <message>
        <source>Skip ablation and confidence, which take longer than the rest together</source>
        <translation>Ni ablation ni confiance, qui coûtent plus que tout le reste</translation>
    </message>
    <message>
        <source>&amp;Roles of heads</source>
        <translation>&amp;Rôles des têtes</translation>
    </message>
    <message>
        <source>Roles of heads at each checkpoint: letters in the grid</source>
        <translation>Ce que font les têtes à chaque checkpoint&#xa0;: lettres dans la grille</translation>
    </message>
    <message>
        <source>&amp;Spread of heads</source>
        <translation>&amp;Dispersion des têtes</translation>
    </message>
    <message>
        <source>Mean distance of the heads of a layer at each checkpoint: a chart beside the curves</source>
        <translation>Distance entre les têtes d’une couche à chaque checkpoint&#xa0;: un graphique à côté des courbes</translation>
    </message>
    <message>
        <source>Order from the &amp;other data set</source>
        <translation>&amp;Ordre tiré de l’autre jeu</translation>
    </message>
    <message>
        <source>Importance is estimated on one data set, and curves are measured on the other</source>
        <translation>L’importance est estimée sur un jeu de données, et les courbes sont mesurées sur l’autre</translation>
    </message>
    <message>
        <source>&amp;Compute</source>
        <translation>&amp;Calculer</translation>
    </message>
    <message>
        <source>Checkpoints side by side</source>
        <translation>Checkpoints côte à côte</translation>
    </message>
    <message>
        <source>Checkpoints that are compared</source>
        <translation>Checkpoints comparés</translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <translation>%1&#xa0;: %2 %3</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n head(s) closed</source>
        <translation>
            <numerusform>%1, %n tête fermée</numerusform>
            <numerusform>%1, %n têtes fermées</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Gradients and scores need data with references or labels.</source>
        <translation>Les gradients et les scores nécessitent des données avec références ou étiquettes.</translation>
    </message>
    <message>
        <source>Choose the folder of a training run.</source>
        <translation>Choisir le dossier d’un entraînement.</translation>
    </message>
    <message>
        <source>No model is open. Open a checkpoint of a training run to follow its heads.</source>
        <translation>Aucun modèle n’est ouvert. Ouvrir un checkpoint d’un entraînement pour suivre ses têtes.</translation>
    </message>
    <message>
        <source>No data set is open. Choose one, then press Compute.</source>
        <translation>Aucun jeu de données n’est ouvert. En choisir un, puis appuyer sur Calculer.</translation>
    </message>
    <message>
        <source>Computing, one checkpoint after the other.</source>
        <translation>Calcul en cours, un checkpoint après l’autre.</translation>
    </message>
    <message>
        <source>Nothing has been computed yet. Choose the folder with the checkpoints of a training run, and press Compute.</source>
        <translation>Rien n’a encore été calculé. Choisir le dossier des checkpoints d’un entraînement, puis appuyer sur Calculer.</translation>
    </message>
    <message>
        <source>Checkpoints: %1. Examples: %2 of %3. The order is by the importance of each checkpoint on %4.</source>
        <translation>Checkpoints&#xa0;: %1. Exemples&#xa0;: %2 de %3. L’ordre suit l’importance de chaque checkpoint sur %4.</translation>
    </message>
    <message>
        <source>&lt;b&gt;Heads over training&lt;/b&gt;, %1</source>
        <translation>&lt;b&gt;Têtes au fil de l’entraînement&lt;/b&gt;, %1</translation>
    </message>
    <message>
        <source>The full model scores 0 at every checkpoint.</source>
        <translation>Le score du modèle complet est 0 à chaque checkpoint.</translation>
    </message>
    <message>
        <source>Choose checkpoints in the list.</source>
        <translation>Choisir des checkpoints dans la liste.</translation>
    </message>
    <message>
        <source>Results are kept in the run&apos;s folder and are not computed again</source>
        <translation>Ce qui a déjà été calculé est conservé dans le dossier de l’entraînement, et n’est pas recalculé</translation>
    </message>
    <message>
        <source>Score over training</source>
        <translation>Score au fil de l’entraînement</translation>
    </message>
    <message>
        <source>Score as a share of the same checkpoint&apos;s full model, over checkpoints, a line for every share of heads removed (Michel et al. 2019, Figure 5).</source>
        <translation>Score rapporté à celui du modèle complet du même checkpoint, au fil des checkpoints, une ligne pour chaque part de têtes retirées (Michel et al. 2019, figure 5).</translation>
    </message>
    <message>
        <source>Pruning at checkpoints</source>
        <translation>Élagage aux checkpoints</translation>
    </message>
    <message>
        <source>Score as a share of the same checkpoint&apos;s full model, over the share of heads removed.</source>
        <translation>Score rapporté à celui du modèle complet du même checkpoint, selon la part de têtes retirées.</translation>
    </message>
    <message>
        <source>Spread of heads over training</source>
        <translation>Dispersion des têtes au fil de l’entraînement</translation>
    </message>
    <message>
        <source>Heads at %1</source>
        <translation>Têtes à %1</translation>
    </message>
    <message>
        <source>Mean distance of the heads of a layer (root of the Jensen–Shannon divergence), over checkpoints, a line for every layer.</source>
        <translation>Distance moyenne des têtes d’une couche (racine de la divergence de Jensen–Shannon), au fil des checkpoints, une ligne pour chaque couche.</translation>
    </message>
    <message>
        <source>Run and checkpoints</source>
        <translation>Entraînement et checkpoints</translation>
    </message>
</context>
<context>
    <name>headscope::DynamicsSeries</name>
    <message>
        <source>%1 %</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>%1, % of the full model</source>
        <translation>%1, % du modèle complet</translation>
    </message>
    <message>
        <source>full model</source>
        <translation>modèle complet</translation>
    </message>
    <message>
        <source>checkpoint (log)</source>
        <translation>checkpoint (log)</translation>
    </message>
    <message>
        <source>heads removed</source>
        <translation>têtes retirées</translation>
    </message>
    <message>
        <source>%1, layer %2</source>
        <translation>%1, couche %2</translation>
    </message>
    <message>
        <source>mean distance of two heads</source>
        <translation>distance moyenne de deux têtes</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Importance</translation>
    </message>
    <message>
        <source>Ablation delta</source>
        <translation>Delta d’ablation</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Confiance</translation>
    </message>
</context>
<context>
    <name>headscope::Energy</name>
    <message>
        <source>queries</source>
        <translation>requêtes</translation>
    </message>
    <message>
        <source>keys</source>
        <translation>clés</translation>
    </message>
    <message>
        <source>product, all heads of an attention</source>
        <translation>produit, toutes les têtes d’une attention</translation>
    </message>
    <message>
        <source>product, heads by themselves</source>
        <translation>produit, têtes prises seules</translation>
    </message>
    <message>
        <source>random numbers</source>
        <translation>nombres aléatoires</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>share of dimensions</source>
        <translation>part des dimensions</translation>
    </message>
    <message>
        <source>energy (%)</source>
        <translation>énergie (%)</translation>
    </message>
</context>
<context>
    <name>headscope::EpochModel</name>
    <message>
        <source>★ best  %1</source>
        <translation>★ meilleure  %1</translation>
    </message>
    <message>
        <source>This epoch&apos;s weights were not kept</source>
        <translation>Les poids de cette époque n’ont pas été conservés</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Époque</translation>
    </message>
    <message>
        <source>Passes over the training text</source>
        <translation>Passages sur le texte d’entraînement</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>Mise à jour</translation>
    </message>
    <message>
        <source>Updates of the weights at the end of the epoch</source>
        <translation>Mises à jour des poids à la fin de l’époque</translation>
    </message>
    <message>
        <source>Training loss</source>
        <translation>Perte d’entraînement</translation>
    </message>
    <message>
        <source>Nats per target token, with dropout, mean over the epoch</source>
        <translation>Nats par token cible, avec dropout, moyenne sur l’époque</translation>
    </message>
    <message>
        <source>Validation loss</source>
        <translation>Perte de validation</translation>
    </message>
    <message>
        <source>Nats per target token on the validation text, without dropout</source>
        <translation>Nats par token cible sur le texte de validation, sans dropout</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>Of the validation data: BLEU in points, accuracy in per cent</source>
        <translation>Des données de validation&#xa0;: BLEU en points, exactitude en pour cent</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Secondes</translation>
    </message>
    <message>
        <source>Training since the run began, without validation</source>
        <translation>Entraînement depuis le début, sans la validation</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Dossier</translation>
    </message>
    <message>
        <source>The epoch&apos;s model, a Hugging Face folder</source>
        <translation>Le modèle de l’époque, un dossier Hugging Face</translation>
    </message>
</context>
<context>
    <name>headscope::ErrorLabel</name>
    <message>
        <source>Dismiss</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Error: %1</source>
        <translation>Erreur&#xa0;: %1</translation>
    </message>
</context>
<context>
    <name>headscope::ExampleText</name>
    <message>
        <source>Source</source>
        <translation>Source</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Référence</translation>
    </message>
    <message>
        <source>With the masks</source>
        <translation>Avec les masques</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Sortie</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>inchangée</translation>
    </message>
    <message>
        <source>wrong</source>
        <translation>faux</translation>
    </message>
    <message>
        <source>“%1” in the data</source>
        <translation>«&#xa0;%1&#xa0;» dans les données</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Étiquette</translation>
    </message>
    <message>
        <source>Model says</source>
        <translation>Le modèle dit</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Text A</source>
        <translation>Texte A</translation>
    </message>
    <message>
        <source>Text B</source>
        <translation>Texte B</translation>
    </message>
    <message>
        <source>ln p = %1; %2 of %3 tokens guessed right</source>
        <translation>ln p = %1&#xa0;; %2 tokens sur %3 bien devinés</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
</context>
<context>
    <name>headscope::ExperimentController</name>
    <message numerus="yes">
        <source>Experiment of %Ln runs</source>
        <translation>
            <numerusform>Expérience de %Ln entraînement</numerusform>
            <numerusform>Expérience de %Ln entraînements</numerusform>
        </translation>
    </message>
    <message>
        <source>Read the runs of an experiment</source>
        <translation>Lire les entraînements d’une expérience</translation>
    </message>
</context>
<context>
    <name>headscope::ExperimentModel</name>
    <message>
        <source>finished</source>
        <translation>terminé</translation>
    </message>
    <message>
        <source>running</source>
        <translation>en cours</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>arrêté</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>en attente</translation>
    </message>
    <message>
        <source>not begun</source>
        <translation>pas commencé</translation>
    </message>
    <message>
        <source>run</source>
        <translation>entraînement</translation>
    </message>
    <message>
        <source>state</source>
        <translation>état</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>paramètres</translation>
    </message>
    <message>
        <source>perplexity</source>
        <translation>perplexité</translation>
    </message>
    <message>
        <source>score</source>
        <translation>score</translation>
    </message>
    <message>
        <source>epoch</source>
        <translation>époque</translation>
    </message>
    <message>
        <source>before training</source>
        <translation>avant l’entraînement</translation>
    </message>
</context>
<context>
    <name>headscope::ExperimentView</name>
    <message>
        <source>“%1” is no whole number above 0.</source>
        <translation>«&#xa0;%1&#xa0;» n’est pas un nombre entier supérieur à 0.</translation>
    </message>
    <message>
        <source>“%1” is no number above 0.</source>
        <translation>«&#xa0;%1&#xa0;» n’est pas un nombre supérieur à 0.</translation>
    </message>
    <message>
        <source>Give the values to try, separated by commas.</source>
        <translation>Indiquez les valeurs à essayer, séparées par des virgules.</translation>
    </message>
    <message>
        <source>This experiment makes new models: let the form begin with a new model.</source>
        <translation>Cette expérience crée de nouveaux modèles&#xa0;: le formulaire doit commencer par un nouveau modèle.</translation>
    </message>
    <message>
        <source>This experiment is of a trained model: let the form begin with one.</source>
        <translation>Cette expérience porte sur un modèle entraîné&#xa0;: le formulaire doit commencer par un tel modèle.</translation>
    </message>
    <message>
        <source>This experiment trains L0 gates: choose them in the form.</source>
        <translation>Cette expérience entraîne des portes L0&#xa0;: choisissez-les dans le formulaire.</translation>
    </message>
    <message>
        <source>The model&apos;s width %1 cannot be divided among %2 heads.</source>
        <translation>La largeur %1 du modèle ne peut pas être répartie entre %2 têtes.</translation>
    </message>
    <message>
        <source>epochs</source>
        <translation>époques</translation>
    </message>
    <message>
        <source>What is varied</source>
        <translation>Ce qui varie</translation>
    </message>
    <message>
        <source>numbers of heads</source>
        <translation>nombres de têtes</translation>
    </message>
    <message>
        <source>Models of equal width with more or fewer heads (Vaswani et al. 2017, Table 3 A)</source>
        <translation>Modèles de même largeur avec plus ou moins de têtes (Vaswani et al. 2017, tableau 3 A)</translation>
    </message>
    <message>
        <source>how heads begin</source>
        <translation>départ des têtes</translation>
    </message>
    <message>
        <source>shared projections</source>
        <translation>projections partagées</translation>
    </message>
    <message>
        <source>pruned or from scratch</source>
        <translation>élagué ou depuis zéro</translation>
    </message>
    <message>
        <source>The starting model without the masked heads, and one of the same shape trained from scratch (Voita et al. 2019, Table 2)</source>
        <translation>Le modèle de départ sans les têtes masquées, et un modèle de même forme entraîné depuis zéro (Voita et al. 2019, tableau 2)</translation>
    </message>
    <message>
        <source>weight of the penalty</source>
        <translation>poids de la pénalité</translation>
    </message>
    <message>
        <source>The weight λ of the penalty of L0 gates: how many heads are left (Voita et al. 2019, Figure 7)</source>
        <translation>Le poids λ de la pénalité des portes L0&#xa0;: combien de têtes restent (Voita et al. 2019, figure 7)</translation>
    </message>
    <message>
        <source>Values to try</source>
        <translation>Valeurs à essayer</translation>
    </message>
    <message>
        <source>Values to try, separated by commas: a run for each</source>
        <translation>Valeurs à essayer, séparées par des virgules&#xa0;: un entraînement pour chacune</translation>
    </message>
    <message>
        <source>Start e&amp;xperiment</source>
        <translation>Lancer l’e&amp;xpérience</translation>
    </message>
    <message>
        <source>Stop experiment</source>
        <translation>Arrêter l’expérience</translation>
    </message>
    <message>
        <source>Saves the run first: Start goes on with it</source>
        <translation>Enregistre d’abord l’entraînement&#xa0;: Lancer le reprend</translation>
    </message>
    <message>
        <source>Scores of the experiment&apos;s runs</source>
        <translation>Scores des entraînements de l’expérience</translation>
    </message>
    <message>
        <source>An experiment trains several models that differ in one thing; everything else is as the form says. Each run is a folder in the form&apos;s folder.</source>
        <translation>Une expérience entraîne plusieurs modèles qui diffèrent par une seule chose&#x202f;; tout le reste est celui du formulaire. Chaque entraînement est un dossier dans celui du formulaire.</translation>
    </message>
    <message>
        <source>Runs of the experiment</source>
        <translation>Entraînements de l’expérience</translation>
    </message>
    <message>
        <source>A double click opens the best epoch of a run in this window</source>
        <translation>Un double clic ouvre la meilleure époque d’un entraînement dans cette fenêtre</translation>
    </message>
    <message>
        <source>Trains the runs one after the other; what is finished is read, what was stopped goes on</source>
        <translation>Effectue les entraînements l’un après l’autre&#x202f;; ce qui est terminé est lu, ce qui a été arrêté continue</translation>
    </message>
    <message>
        <source>Experiment, %1</source>
        <translation>Expérience, %1</translation>
    </message>
    <message>
        <source>Scores of runs that differ in one thing: %1.</source>
        <translation>Scores d’entraînements qui diffèrent par une seule chose&#xa0;: %1.</translation>
    </message>
    <message>
        <source>heads in each layer</source>
        <translation>têtes par couche</translation>
    </message>
    <message>
        <source>columns of query and key projections</source>
        <translation>colonnes des projections de requête et de clé</translation>
    </message>
    <message>
        <source>weight λ of the penalty</source>
        <translation>poids λ de la pénalité</translation>
    </message>
    <message>
        <source>This experiment is of a new model or of a trained one.</source>
        <translation>Cette expérience porte sur un nouveau modèle ou sur un modèle entraîné.</translation>
    </message>
    <message>
        <source>%1, before training</source>
        <translation>%1, avant l’entraînement</translation>
    </message>
    <message>
        <source>updates</source>
        <translation>mises à jour</translation>
    </message>
    <message>
        <source>distance of a layer’s heads from their mean</source>
        <translation>distance des têtes d’une couche à leur moyenne</translation>
    </message>
    <message>
        <source>The heads of a layer begin differently, with the same queries, keys and values, or with all of their parameters equal</source>
        <translation>Les têtes d’une couche commencent différemment, avec les mêmes requêtes, clés et valeurs, ou avec tous leurs paramètres égaux</translation>
    </message>
    <message>
        <source>Columns of query and key projections, which heads share or divide among them (Cordonnier et al. 2020): new models, or the starting model factorized, scored, and trained further</source>
        <translation>Colonnes des projections de requêtes et de clés, que les têtes partagent ou se répartissent (Cordonnier et al. 2020) : nouveaux modèles, ou le modèle de départ factorisé, évalué, puis entraîné davantage</translation>
    </message>
    <message>
        <source>Distance of heads over updates</source>
        <translation>Distance des têtes au fil des mises à jour</translation>
    </message>
    <message>
        <source>Distance of heads over updates, %1</source>
        <translation>Distance des têtes au fil des mises à jour, %1</translation>
    </message>
    <message>
        <source>How far the weights of a layer’s heads are from their mean, by their norm: 0 where heads are equal. Mean over layers.</source>
        <translation>Écart des poids des têtes d’une couche à leur moyenne, rapporté à leur norme : 0 si les têtes sont égales. Moyenne des couches.</translation>
    </message>
</context>
<context>
    <name>headscope::ExportAll</name>
    <message>
        <source>All views</source>
        <translation>Toutes les vues</translation>
    </message>
</context>
<context>
    <name>headscope::ExportDialog</name>
    <message>
        <source>Export</source>
        <translation>Exporter</translation>
    </message>
    <message>
        <source>PNG picture</source>
        <translation>Image PNG</translation>
    </message>
    <message>
        <source>SVG vector picture</source>
        <translation>Image vectorielle SVG</translation>
    </message>
    <message>
        <source>PDF page</source>
        <translation>Page PDF</translation>
    </message>
    <message>
        <source>CSV table</source>
        <translation>Tableau CSV</translation>
    </message>
    <message>
        <source>HTML page</source>
        <translation>Page HTML</translation>
    </message>
    <message>
        <source>JSON table</source>
        <translation>Tableau JSON</translation>
    </message>
    <message>
        <source>LaTeX table</source>
        <translation>Tableau LaTeX</translation>
    </message>
    <message>
        <source> dpi</source>
        <translation> ppp</translation>
    </message>
    <message>
        <source>Print the &amp;caption under the picture</source>
        <translation>Imprimer la &amp;légende sous l’image</translation>
    </message>
    <message>
        <source>Write a &amp;manifest beside it: model, data, settings, versions</source>
        <translation>Écrire un &amp;manifeste à côté&#xa0;: modèle, données, réglages, versions</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Aperçu</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Vue</translation>
    </message>
    <message>
        <source>&amp;Format</source>
        <translation>&amp;Format</translation>
    </message>
    <message>
        <source>&amp;Size</source>
        <translation>&amp;Taille</translation>
    </message>
    <message>
        <source>&amp;Resolution</source>
        <translation>&amp;Résolution</translation>
    </message>
    <message>
        <source>F&amp;ile</source>
        <translation>F&amp;ichier</translation>
    </message>
    <message>
        <source>Cop&amp;y</source>
        <translation>&amp;Copier</translation>
    </message>
    <message>
        <source>Puts the picture and its table on the clipboard</source>
        <translation>Place l’image et son tableau dans le presse-papiers</translation>
    </message>
    <message>
        <source> mm</source>
        <translation> mm</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Largeur</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Hauteur</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Fichier</translation>
    </message>
    <message>
        <source>&amp;Browse…</source>
        <translation>&amp;Parcourir…</translation>
    </message>
    <message>
        <source>Export to</source>
        <translation>Exporter vers</translation>
    </message>
    <message>
        <source>= %1 × %2 pixels</source>
        <translation>= %1 × %2 pixels</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Enregistrer</translation>
    </message>
    <message>
        <source>%1 is there already. Press Replace to write over it, or choose another name.</source>
        <translation>%1 existe déjà. Appuyer sur Remplacer pour l’écraser, ou choisir un autre nom.</translation>
    </message>
    <message>
        <source>&amp;Replace</source>
        <translation>Rempl&amp;acer</translation>
    </message>
</context>
<context>
    <name>headscope::Exporter</name>
    <message>
        <source>%1 could not be drawn as %2.</source>
        <translation>%1 n’a pas pu être dessiné en %2.</translation>
    </message>
    <message>
        <source>%1 has no table to write as %2.</source>
        <translation>%1 n’a pas de tableau à écrire en %2.</translation>
    </message>
    <message>
        <source>A picture of %1 × %2 pixels cannot be written; choose at most %3 pixels per side.</source>
        <translation>Impossible de créer une image de %1 × %2 pixels&#xa0;; choisir une taille d’au plus %3 pixels par côté.</translation>
    </message>
    <message>
        <source>Not enough memory for a picture of %1 × %2 pixels; choose a smaller one.</source>
        <translation>Pas assez de mémoire pour une image de %1 × %2 pixels&#xa0;; en choisir une plus petite.</translation>
    </message>
</context>
<context>
    <name>headscope::FileEdit</name>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>Choisir</translation>
    </message>
    <message>
        <source>%1: choose</source>
        <translation>%1&#xa0;: choisir</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Choisir un dossier</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Choisir un fichier</translation>
    </message>
</context>
<context>
    <name>headscope::FoldingSide</name>
    <message>
        <source>Open: %1</source>
        <translation>Ouvrir&#xa0;: %1</translation>
    </message>
    <message>
        <source>Fold: %1</source>
        <translation>Replier&#xa0;: %1</translation>
    </message>
    <message>
        <source>Folds it to a narrow strip</source>
        <translation>Le replie en une bande étroite</translation>
    </message>
    <message>
        <source>%1: click to open</source>
        <translation>%1&#xa0;: cliquer pour ouvrir</translation>
    </message>
</context>
<context>
    <name>headscope::GateSeries</name>
    <message>
        <source>open heads, %</source>
        <translation>têtes ouvertes, %</translation>
    </message>
    <message>
        <source>%1, % of the best</source>
        <translation>%1, % du meilleur</translation>
    </message>
    <message>
        <source>P(gate = 0)</source>
        <translation>P(porte = 0)</translation>
    </message>
    <message>
        <source>closed</source>
        <translation>fermée</translation>
    </message>
    <message>
        <source>updates</source>
        <translation>mises à jour</translation>
    </message>
    <message>
        <source>%</source>
        <translation>%</translation>
    </message>
</context>
<context>
    <name>headscope::GateSettings</name>
    <message>
        <source>Gates of heads</source>
        <translation>Portes des têtes</translation>
    </message>
    <message>
        <source>How the gates of heads are trained</source>
        <translation>Comment les têtes apprennent lesquelles restent</translation>
    </message>
    <message>
        <source>none: all heads stay</source>
        <translation>aucune&#xa0;: toutes les têtes restent</translation>
    </message>
    <message>
        <source>L0: penalise open heads</source>
        <translation>L0&#xa0;: les têtes apprennent à se fermer</translation>
    </message>
    <message>
        <source>subset: keep this many heads</source>
        <translation>sous-ensemble&#xa0;: tant de têtes restent</translation>
    </message>
    <message>
        <source>&amp;Gates</source>
        <translation>&amp;Portes</translation>
    </message>
    <message>
        <source>Of</source>
        <translation>Pour</translation>
    </message>
    <message>
        <source>Lambda</source>
        <translation>Lambda</translation>
    </message>
    <message>
        <source>Weight of the penalty: loss per target token + lambda times the expected number of open heads</source>
        <translation>Poids de la pénalité&#xa0;: perte par token cible + lambda fois le nombre attendu de têtes ouvertes</translation>
    </message>
    <message>
        <source>La&amp;mbda</source>
        <translation>La&amp;mbda</translation>
    </message>
    <message>
        <source>Heads left</source>
        <translation>Têtes restantes</translation>
    </message>
    <message>
        <source>Heads that stay</source>
        <translation>Têtes qui restent</translation>
    </message>
    <message>
        <source>Learning rate of the gates</source>
        <translation>Taux d’apprentissage des portes</translation>
    </message>
    <message>
        <source>Gates’ rate</source>
        <translation>Taux des portes</translation>
    </message>
    <message>
        <source>What is trained beside the gates</source>
        <translation>Ce qui est entraîné en plus des portes</translation>
    </message>
    <message>
        <source>all weights</source>
        <translation>tous les poids</translation>
    </message>
    <message>
        <source>stacks with gates</source>
        <translation>piles avec portes</translation>
    </message>
    <message>
        <source>nothing else</source>
        <translation>rien d’autre</translation>
    </message>
    <message>
        <source>Frozen stacks cannot take over functions of the pruned heads</source>
        <translation>Geler des piles empêche des fonctions de s’y déplacer</translation>
    </message>
    <message>
        <source>Trained</source>
        <translation>Entraîné</translation>
    </message>
    <message>
        <source>Gates of %1</source>
        <translation>Portes&#xa0;: %1</translation>
    </message>
    <message>
        <source>None checked: all kinds that the model has</source>
        <translation>Rien de coché&#xa0;: tout ce que le modèle contient</translation>
    </message>
</context>
<context>
    <name>headscope::GateView</name>
    <message>
        <source>Gates of heads</source>
        <translation>Portes des têtes</translation>
    </message>
    <message>
        <source>Open heads and score over updates</source>
        <translation>Têtes ouvertes et score au fil des mises à jour</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>Mise à jour</translation>
    </message>
    <message>
        <source>&amp;Mask the closed heads</source>
        <translation>&amp;Masquer les têtes fermées</translation>
    </message>
    <message>
        <source>heads that gates closed</source>
        <translation>le masquage des têtes fermées par les portes</translation>
    </message>
    <message>
        <source>update %1: %2 of %3 heads open</source>
        <translation>mise à jour %1&#xa0;: %2 têtes ouvertes sur %3</translation>
    </message>
    <message>
        <source>The first epoch is not finished yet.</source>
        <translation>La première époque n’est pas encore terminée.</translation>
    </message>
    <message>
        <source>Open an epoch of this run first: the mask refers to its heads.</source>
        <translation>Ouvrir d’abord une époque de cet entraînement&#xa0;: le masque porte sur ses têtes.</translation>
    </message>
    <message>
        <source>Exactly these heads are masked already.</source>
        <translation>Exactement ces têtes sont déjà masquées.</translation>
    </message>
    <message>
        <source>Masks the heads that are closed after the last epoch, and no others, on all pages: one step that can be undone</source>
        <translation>Masque les têtes fermées après la dernière époque, et aucune autre, sur toutes les pages&#xa0;: une seule étape, que l’on peut annuler</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Figure</translation>
    </message>
    <message>
        <source>Heads that stay open</source>
        <translation>Têtes qui restent ouvertes</translation>
    </message>
    <message>
        <source>No epoch has been measured yet.</source>
        <translation>Aucune époque n’a encore été mesurée.</translation>
    </message>
    <message>
        <source>Score by heads left</source>
        <translation>Score selon les têtes restantes</translation>
    </message>
    <message>
        <source>Score under the closed heads over the heads that are left (Voita et al. 2019, Figure 7).</source>
        <translation>Score sans les têtes fermées, selon le nombre de têtes restantes (Voita et al. 2019, figure 7).</translation>
    </message>
    <message>
        <source>Open heads by kind</source>
        <translation>Têtes ouvertes par sorte</translation>
    </message>
    <message>
        <source>Heads that stay open, by kind of attention (Voita et al. 2019, Figure 9).</source>
        <translation>Têtes qui restent ouvertes, par sorte d’attention (Voita et al. 2019, figure 9).</translation>
    </message>
    <message>
        <source>Open heads by layer, %1</source>
        <translation>Têtes ouvertes par couche, %1</translation>
    </message>
    <message>
        <source>Open heads by role</source>
        <translation>Têtes ouvertes par rôle</translation>
    </message>
    <message>
        <source>Heads that stay open, by the roles that they have in the open model (Voita et al. 2019, Figure 8).</source>
        <translation>Têtes qui restent ouvertes, selon leurs rôles dans le modèle ouvert (Voita et al. 2019, figure 8).</translation>
    </message>
    <message>
        <source>Density of gates</source>
        <translation>Densité des portes</translation>
    </message>
    <message>
        <source>Hard Concrete densities of the gates at update %1 (Voita et al. 2019, Figure 6).</source>
        <translation>Densités Hard Concrete des portes à la mise à jour %1 (Voita et al. 2019, figure 6).</translation>
    </message>
    <message>
        <source>Compute roles of the open model first: heads keep them while others close.</source>
        <translation>Calculez d’abord les rôles du modèle ouvert&#xa0;: les têtes les gardent pendant que d’autres se ferment.</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>update %1: %2 of %3 heads open when decided, %4 expected</source>
        <translation>mise à jour %1&#xa0;: %2 têtes ouvertes sur %3 une fois décidé, %4 attendues</translation>
    </message>
    <message>
        <source>Heads that stay open, %1, by layer (Voita et al. 2019, Figure 10).</source>
        <translation>Têtes qui restent ouvertes, %1, par couche (Voita et al. 2019, figure 10).</translation>
    </message>
</context>
<context>
    <name>headscope::GridContent</name>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Ablation Δ %1</source>
        <translation>Δ d’ablation %1</translation>
    </message>
    <message>
        <source>Δ %1</source>
        <translation>Δ %1</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Importance</translation>
    </message>
    <message>
        <source>I_h</source>
        <translation>I_h</translation>
    </message>
    <message>
        <source>normalised by layer</source>
        <translation>normalisée par couche</translation>
    </message>
    <message>
        <source>normalised over all heads</source>
        <translation>normalisée sur toutes les têtes</translation>
    </message>
    <message>
        <source>normalised by layer, then to 0–1</source>
        <translation>normalisée par couche, puis ramenée à 0–1</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Confiance</translation>
    </message>
    <message>
        <source>mean of the largest weight</source>
        <translation>moyenne du plus grand poids</translation>
    </message>
    <message>
        <source>Relevance</source>
        <translation>Pertinence</translation>
    </message>
    <message>
        <source>share of its layer’s absolute relevance, %1</source>
        <translation>part de la pertinence absolue de sa couche, %1</translation>
    </message>
    <message>
        <source>share of its layer’s relevance, %1</source>
        <translation>part de la pertinence de sa couche, %1</translation>
    </message>
    <message>
        <source>Difference of %1</source>
        <translation>Différence&#xa0;: %1</translation>
    </message>
    <message>
        <source>difference of %1</source>
        <translation>différence (%1)</translation>
    </message>
    <message>
        <source>%1 minus %2</source>
        <translation>%1 moins %2</translation>
    </message>
    <message>
        <source>%1 of %2 examples</source>
        <translation>%1 exemples sur %2</translation>
    </message>
    <message numerus="yes">
        <source>%Ln examples</source>
        <translation>
            <numerusform>%Ln exemple</numerusform>
            <numerusform>%Ln exemples</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 against %2</source>
        <translation>%1 contre %2</translation>
    </message>
    <message>
        <source>per cent of a token’s attention</source>
        <translation>pour cent de l’attention d’un token</translation>
    </message>
    <message>
        <source>nats, mean over tokens</source>
        <translation>nats, moyenne sur les tokens</translation>
    </message>
    <message>
        <source>Shapley value %1</source>
        <translation>Valeur de Shapley %1</translation>
    </message>
    <message>
        <source>Shapley value</source>
        <translation>Valeur de Shapley</translation>
    </message>
    <message>
        <source>Sum of all values %1 = %2 with all heads − %3 with none</source>
        <translation>Somme de toutes les valeurs %1 = %2 avec toutes les têtes − %3 sans aucune</translation>
    </message>
    <message>
        <source>heads %1–%2 share key group %3</source>
        <translation>les têtes %1–%2 forment le groupe de clés %3</translation>
    </message>
    <message>
        <source>Gates: helps − interferes</source>
        <translation>Portes : aide − gêne</translation>
    </message>
    <message>
        <source>gates</source>
        <translation>portes</translation>
    </message>
    <message>
        <source>Change without %1</source>
        <translation>Changement sans %1</translation>
    </message>
    <message>
        <source>change</source>
        <translation>changement</translation>
    </message>
    <message>
        <source>Effect of patching</source>
        <translation>Effet du patching</translation>
    </message>
    <message>
        <source>effect</source>
        <translation>effet</translation>
    </message>
    <message>
        <source>%1 examples alike: up to %2 % of others may differ (95 %)</source>
        <translation>%1 exemples identiques&#xa0;: jusqu’à&#xa0;%2&#xa0;% des autres peuvent différer (95&#xa0;%)</translation>
    </message>
    <message>
        <source>per cent of queries</source>
        <translation>pour cent des requêtes</translation>
    </message>
    <message>
        <source>Effect on tasks in prompts</source>
        <translation>Effet sur les tâches de prompts</translation>
    </message>
    <message>
        <source>change of the answer’s probability</source>
        <translation>changement de la probabilité de la réponse</translation>
    </message>
    <message>
        <source>Retrieval score</source>
        <translation>Score de récupération</translation>
    </message>
    <message>
        <source>per cent of an answer’s tokens</source>
        <translation>pour cent des tokens d’une réponse</translation>
    </message>
    <message>
        <source>QR score</source>
        <translation>Score QR</translation>
    </message>
</context>
<context>
    <name>headscope::GridFeed</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Faded and hatched: not significant (%1)</source>
        <translation>Pâle et hachuré&#xa0;: non significatif (%1)</translation>
    </message>
    <message>
        <source>Not complete: hatched heads are not tested</source>
        <translation>Incomplet&#xa0;: les têtes hachurées ne sont pas testées</translation>
    </message>
    <message>
        <source>%1 of key groups</source>
        <translation>%1 de groupes de clés</translation>
    </message>
    <message>
        <source>the model alone</source>
        <translation>le modèle seul</translation>
    </message>
</context>
<context>
    <name>headscope::GridLegendView</name>
    <message>
        <source>Legend of the grids</source>
        <translation>Légende des grilles</translation>
    </message>
    <message>
        <source>Colours, roles and symbols of the grids above</source>
        <translation>Couleurs, rôles et symboles des grilles ci-dessus</translation>
    </message>
</context>
<context>
    <name>headscope::GridOrder</name>
    <message>
        <source>heads by rank →</source>
        <translation>têtes par rang →</translation>
    </message>
    <message>
        <source>head →</source>
        <translation>tête →</translation>
    </message>
    <message>
        <source>layer ↑  %1</source>
        <translation>couche ↑  %1</translation>
    </message>
    <message>
        <source>layer ↓  %1</source>
        <translation>couche ↓  %1</translation>
    </message>
    <message>
        <source>layers by mean rank ↓  %1</source>
        <translation>couches par rang moyen ↓  %1</translation>
    </message>
</context>
<context>
    <name>headscope::GridWithOthers</name>
    <message>
        <source>Small grids</source>
        <translation>Petites grilles</translation>
    </message>
</context>
<context>
    <name>headscope::GuiOptions</name>
    <message>
        <source>%1 needs a table (.tsv, .csv, .jsonl, .txt), dependency trees (.conllu) or two files: source and reference, one sentence a line.</source>
        <translation>%1 demande un tableau (.tsv, .csv, .jsonl, .txt), des arbres de dépendances (.conllu) ou deux fichiers&#xa0;: source et référence, une phrase par ligne.</translation>
    </message>
    <message>
        <source>%1 needs a text file.</source>
        <translation>%1 demande un fichier texte.</translation>
    </message>
    <message>
        <source>%1 needs a value.</source>
        <translation>%1 demande une valeur.</translation>
    </message>
    <message>
        <source>See headscope --help.</source>
        <translation>Voir headscope --help.</translation>
    </message>
    <message>
        <source>there is no display. Use --screenshot FILE or --export-all FOLDER, or set QT_QPA_PLATFORM.</source>
        <translation>il n’y a pas d’écran. Utilisez --screenshot FICHIER ou --export-all DOSSIER, ou définissez QT_QPA_PLATFORM.</translation>
    </message>
    <message>
        <source>--%1 needs a whole number from %2, not &quot;%3&quot;.</source>
        <translation>--%1 demande un nombre entier à partir de %2, et non «&#xa0;%3&#xa0;».</translation>
    </message>
    <message>
        <source>--size needs WIDTHxHEIGHT, for example 1280x800, not &quot;%1&quot;.</source>
        <translation>--size demande LARGEURxHAUTEUR, par exemple 1280x800, et non «&#xa0;%1&#xa0;».</translation>
    </message>
    <message>
        <source>Finds out what the attention heads of a trained Transformer do.</source>
        <translation>Découvre ce que font les têtes d’attention d’un Transformer entraîné.</translation>
    </message>
    <message>
        <source>In-domain data: --in TABLE, or two parallel text files, --in SOURCE REFERENCE.</source>
        <translation>Données dans le domaine&#xa0;: --in TABLEAU, ou deux fichiers texte parallèles, --in SOURCE RÉFÉRENCE.</translation>
    </message>
    <message>
        <source>files</source>
        <translation>fichiers</translation>
    </message>
    <message>
        <source>In-domain running text for a language model, a text in each line.</source>
        <translation>Texte courant dans le domaine pour un modèle de langue, un texte par ligne.</translation>
    </message>
    <message>
        <source>file</source>
        <translation>fichier</translation>
    </message>
    <message>
        <source>Out-of-domain running text for a language model, a text in each line.</source>
        <translation>Texte courant hors domaine pour un modèle de langue, un texte par ligne.</translation>
    </message>
    <message>
        <source>Dependency trees of the texts of the data set named before. --in FILE.conllu is a complete data set.</source>
        <translation>Arbres de dépendances des textes du jeu de données nommé avant. --in FICHIER.conllu est à lui seul un jeu de données.</translation>
    </message>
    <message>
        <source>Metric by which heads are judged, e.g. accuracy, F1, loss, BLEU; by default the task&apos;s first.</source>
        <translation>Ce qui sert à juger les têtes, p. ex. accuracy, F1, loss, BLEU&#xa0;; sinon la première métrique de la tâche.</translation>
    </message>
    <message>
        <source>Opens the study that comes with Headscope.</source>
        <translation>Ouvre l’étude fournie avec Headscope.</translation>
    </message>
    <message>
        <source>Beams of the search, 1 = greedy; by default the model&apos;s own setting.</source>
        <translation>Faisceaux de la recherche, 1 = glouton&#xa0;; sinon ceux du modèle.</translation>
    </message>
    <message>
        <source>The machine with the model and data, as a host name for ssh, or a command that runs headscope-cli there.</source>
        <translation>La machine où se trouvent le modèle et les données, telle que ssh la connaît, ou une commande qui y lance headscope-cli.</translation>
    </message>
    <message>
        <source>auto, cpu, cuda, cuda:N or cuda:all.</source>
        <translation>auto, cpu, cuda, cuda:N ou cuda:all.</translation>
    </message>
    <message>
        <source>f32 or bf16.</source>
        <translation>f32 ou bf16.</translation>
    </message>
    <message>
        <source>For a multilingual model: the language of the source texts, as the model&apos;s code.</source>
        <translation>Pour un modèle multilingue&#xa0;: la langue des textes source, selon le code que le modèle lui donne.</translation>
    </message>
    <message>
        <source>For a multilingual model: the target language.</source>
        <translation>Pour un modèle multilingue&#xa0;: la langue cible.</translation>
    </message>
    <message>
        <source>Processor threads; 0 = one per core.</source>
        <translation>Threads du processeur&#xa0;; 0 = un par cœur.</translation>
    </message>
    <message>
        <source>Writes a picture of a view and quits; needs no display.</source>
        <translation>Écrit une image d’une vue et se termine&#xa0;; n’a pas besoin d’écran.</translation>
    </message>
    <message>
        <source>The page: %1.</source>
        <translation>La page&#xa0;: %1.</translation>
    </message>
    <message>
        <source>Size of the picture, 1280x800 by default.</source>
        <translation>Taille de l’image, 1280x800 par défaut.</translation>
    </message>
    <message>
        <source>Language of texts and numbers: %1; by default the system&apos;s.</source>
        <translation>Langue des textes et des nombres&#xa0;: %1&#xa0;; sinon celle du système.</translation>
    </message>
    <message>
        <source>Shows this help.</source>
        <translation>Affiche cette aide.</translation>
    </message>
    <message>
        <source>Shows the version.</source>
        <translation>Affiche la version.</translation>
    </message>
    <message>
        <source>A saved study, a model folder or the folder of a training run.</source>
        <translation>Une étude enregistrée, un dossier de modèle ou le dossier d’un entraînement.</translation>
    </message>
    <message>
        <source>--%1 knows %2, not &quot;%3&quot;.</source>
        <translation>--%1 connaît %2, et non «&#xa0;%3&#xa0;».</translation>
    </message>
    <message>
        <source>--host needs the folder of a model on that machine.</source>
        <translation>--host demande le dossier d’un modèle sur cette machine.</translation>
    </message>
    <message>
        <source>--export-all needs a study or a model folder.</source>
        <translation>--export-all demande une étude ou un dossier de modèle.</translation>
    </message>
    <message>
        <source>Opens the second demo, a classifier.</source>
        <translation>Ouvre l’autre, celle d’un classifieur.</translation>
    </message>
    <message>
        <source>--%1 opens its own study; leave &quot;%2&quot; out.</source>
        <translation>--%1 ouvre sa propre étude ; retirer « %2 ».</translation>
    </message>
    <message>
        <source>Colours: %1.</source>
        <translation>Couleurs&#xa0;: %1.</translation>
    </message>
    <message>
        <source>Only one study or model folder can be opened at a time; &quot;%1&quot; is another one.</source>
        <translation>Une seule étude ou un seul dossier de modèle peut être ouvert à la fois&#xa0;; «&#xa0;%1&#xa0;» en est un autre.</translation>
    </message>
    <message>
        <source>Text that is put before every source text, as T5 needs it.</source>
        <translation>Texte placé devant chaque texte source, comme T5 le demande.</translation>
    </message>
    <message>
        <source>Out-of-domain data, in the same forms. Options of how data are read apply to the data set named before them, or to both if none was named yet; --limit always to both.</source>
        <translation>Données hors du domaine, sous les mêmes formes. Les options de lecture des données s’appliquent au jeu de données nommé avant elles, ou aux deux si aucun n’a encore été nommé&#x202f;; --limit toujours aux deux.</translation>
    </message>
    <message>
        <source>Computes what is missing, writes every picture and table into a folder and quits; needs no display. What cannot be computed of the data is listed and left out.</source>
        <translation>Calcule ce qui manque, écrit toutes les images et tous les tableaux dans un dossier et quitte ; ne demande aucun écran. Ce qui ne peut pas être calculé sur ces données est signalé et omis.</translation>
    </message>
    <message>
        <source>Opens the third demo, a small model with a positional head and one for rare words.</source>
        <translation>Ouvre la troisième démo, un petit modèle avec une tête positionnelle et une tête des mots rares.</translation>
    </message>
    <message>
        <source>Table of questions of which the first --shots stand before every question with their answers.</source>
        <translation>Table de questions dont les --shots premières précèdent chaque question avec leurs réponses.</translation>
    </message>
</context>
<context>
    <name>headscope::GuideWindow</name>
    <message>
        <source>Guide</source>
        <translation>Guide</translation>
    </message>
    <message>
        <source>Contents of the guide</source>
        <translation>Sommaire du guide</translation>
    </message>
    <message>
        <source>Page of the guide</source>
        <translation>Page du guide</translation>
    </message>
    <message>
        <source>‹ Back</source>
        <translation>‹ Précédent</translation>
    </message>
    <message>
        <source>Forward ›</source>
        <translation>Suivant ›</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Sommaire</translation>
    </message>
    <message>
        <source>Not on this page</source>
        <translation>Absent de cette page</translation>
    </message>
    <message>
        <source>Find on this page</source>
        <translation>Chercher dans cette page</translation>
    </message>
</context>
<context>
    <name>headscope::HeadAnswer</name>
    <message>
        <source>Nothing is computed of this head yet</source>
        <translation>Rien n’est encore calculé pour cette tête</translation>
    </message>
</context>
<context>
    <name>headscope::HeadFinder</name>
    <message>
        <source>Search heads</source>
        <translation>Chercher des têtes</translation>
    </message>
    <message>
        <source>Search heads ( / )</source>
        <translation>Chercher des têtes ( / )</translation>
    </message>
    <message>
        <source>An address or its beginning (cross.3), a role (positional), p, holm, rank or value with &lt;, &lt;=, &gt;, &gt;= or = (p&lt;0.01), masked, pinned, significant. Several words: all must hold. Enter keeps what is selected, Escape does not.</source>
        <translation>Une adresse ou son début (cross.3), un rôle (positional), p, holm, rank ou value avec &lt;, &lt;=, &gt;, &gt;= ou = (p&lt;0.01), masked, pinned, significant. Plusieurs mots : tous doivent convenir. Entrée garde la sélection, Échap non.</translation>
    </message>
</context>
<context>
    <name>headscope::HeadGrid</name>
    <message>
        <source>roles %1:</source>
        <translation>rôles %1&#xa0;:</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>?: others too</source>
        <translation>?&#xa0;: d’autres aussi</translation>
    </message>
    <message>
        <source>not significant (interval holds 0)</source>
        <translation>non significatif (l’intervalle contient 0)</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>masquée</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>épinglée</translation>
    </message>
    <message>
        <source>not computed yet</source>
        <translation>pas encore calculé</translation>
    </message>
    <message>
        <source>not tested yet</source>
        <translation>pas encore testé</translation>
    </message>
    <message>
        <source>not significant (%1)</source>
        <translation>non significatif (%1)</translation>
    </message>
    <message>
        <source>not significant</source>
        <translation>non significatif</translation>
    </message>
    <message>
        <source>stand in for each other</source>
        <translation>se remplacent l’une l’autre</translation>
    </message>
    <message>
        <source>need each other</source>
        <translation>ont besoin l’une de l’autre</translation>
    </message>
</context>
<context>
    <name>headscope::HeadGridAccessible</name>
    <message>
        <source>no head</source>
        <translation>pas de tête</translation>
    </message>
    <message>
        <source>Selects the head</source>
        <translation>Sélectionne la tête</translation>
    </message>
    <message>
        <source>Masks or unmasks the head</source>
        <translation>Masque la tête, ou la démasque</translation>
    </message>
    <message>
        <source>%1, layer %2</source>
        <translation>%1, couche %2</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>tête %1</translation>
    </message>
</context>
<context>
    <name>headscope::HeadGridModel</name>
    <message>
        <source>not computed yet</source>
        <translation>pas encore calculé</translation>
    </message>
    <message>
        <source>, p %1</source>
        <translation>, p %1</translation>
    </message>
    <message>
        <source> (Holm %1)</source>
        <translation> (Holm %1)</translation>
    </message>
    <message>
        <source>, McNemar p %1</source>
        <translation>, p de McNemar %1</translation>
    </message>
    <message>
        <source>, rank %1 of %2</source>
        <translation>, rang %1 sur %2</translation>
    </message>
    <message>
        <source>, %1</source>
        <translation>, %1</translation>
    </message>
    <message>
        <source>, masked</source>
        <translation>, masquée</translation>
    </message>
    <message>
        <source>, pinned</source>
        <translation>, épinglée</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Tête</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Valeur</translation>
    </message>
    <message>
        <source>95 % from</source>
        <translation>95&#xa0;% de</translation>
    </message>
    <message>
        <source>to</source>
        <translation>à</translation>
    </message>
    <message>
        <source>p</source>
        <translation>p</translation>
    </message>
    <message>
        <source>p (Holm)</source>
        <translation>p (Holm)</translation>
    </message>
    <message>
        <source>McNemar p</source>
        <translation>p de McNemar</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>Rôle</translation>
    </message>
    <message>
        <source>Masked</source>
        <translation>Masquée</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>masquée</translation>
    </message>
    <message>
        <source> (Holm %1, Benjamini–Hochberg %2)</source>
        <translation> (Holm %1, Benjamini–Hochberg %2)</translation>
    </message>
    <message>
        <source>, not significant (%1)</source>
        <translation>, non significatif (%1)</translation>
    </message>
    <message>
        <source>p (BH)</source>
        <translation>p (BH)</translation>
    </message>
    <message>
        <source>, %1 of %2 heads masked</source>
        <translation>, %1 têtes sur %2 masquées</translation>
    </message>
</context>
<context>
    <name>headscope::HeadGridView</name>
    <message>
        <source>keep only %1 in its layer</source>
        <translation>la restriction à %1 dans sa couche</translation>
    </message>
    <message>
        <source>Un&amp;mask %1</source>
        <translation>Dé&amp;masquer %1</translation>
    </message>
    <message>
        <source>&amp;Mask %1</source>
        <translation>&amp;Masquer %1</translation>
    </message>
    <message>
        <source>Un&amp;pin %1</source>
        <translation>Désépi&amp;ngler %1</translation>
    </message>
    <message>
        <source>&amp;Pin %1</source>
        <translation>É&amp;pingler %1</translation>
    </message>
    <message>
        <source>&amp;Keep only this head in its layer</source>
        <translation>&amp;Garder seulement cette tête dans sa couche</translation>
    </message>
    <message>
        <source>Show its &amp;attention</source>
        <translation>Afficher son &amp;attention</translation>
    </message>
    <message>
        <source>&amp;Copy value</source>
        <translation>&amp;Copier la valeur</translation>
    </message>
    <message>
        <source>Grid of heads, %1</source>
        <translation>Grille des têtes, %1</translation>
    </message>
    <message>
        <source>Arrow keys move, Space masks, P pins, Shift with arrows extends the selection.</source>
        <translation>Les flèches déplacent, Espace masque, P épingle, Maj avec les flèches étend la sélection.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>Of the same role, %1</source>
        <translation>De même rôle, %1</translation>
    </message>
    <message>
        <source>Significant like this one</source>
        <translation>Significatives comme celle-ci</translation>
    </message>
    <message>
        <source>Not significant like this one</source>
        <translation>Non significatives comme celle-ci</translation>
    </message>
    <message>
        <source>With a value below zero</source>
        <translation>De valeur négative</translation>
    </message>
    <message>
        <source>With a value of zero or above</source>
        <translation>De valeur nulle ou positive</translation>
    </message>
    <message>
        <source>Of the same layer</source>
        <translation>De la même couche</translation>
    </message>
    <message>
        <source>Of the same kind of attention</source>
        <translation>Du même type d’attention</translation>
    </message>
    <message>
        <source>Select heads a&amp;like</source>
        <translation>Sélectionner les têtes sembla&amp;bles</translation>
    </message>
</context>
<context>
    <name>headscope::HeadKind</name>
    <message>
        <source>Encoder self-attention</source>
        <translation>Auto-attention de l’encodeur</translation>
    </message>
    <message>
        <source>Encoder</source>
        <translation>Encodeur</translation>
    </message>
    <message>
        <source>encoder self-attention</source>
        <translation>auto-attention de l’encodeur</translation>
    </message>
    <message>
        <source>encoder</source>
        <translation>encodeur</translation>
    </message>
    <message>
        <source>Cross-attention</source>
        <translation>Attention croisée</translation>
    </message>
    <message>
        <source>Cross</source>
        <translation>Croisée</translation>
    </message>
    <message>
        <source>cross-attention</source>
        <translation>attention croisée</translation>
    </message>
    <message>
        <source>cross</source>
        <translation>croisée</translation>
    </message>
    <message>
        <source>Decoder self-attention</source>
        <translation>Auto-attention du décodeur</translation>
    </message>
    <message>
        <source>Decoder</source>
        <translation>Décodeur</translation>
    </message>
    <message>
        <source>decoder self-attention</source>
        <translation>auto-attention du décodeur</translation>
    </message>
    <message>
        <source>decoder</source>
        <translation>décodeur</translation>
    </message>
</context>
<context>
    <name>headscope::HeadLines</name>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>nothing that can be seen</source>
        <translation>rien de visible</translation>
    </message>
</context>
<context>
    <name>headscope::HeadLinesView</name>
    <message>
        <source>Attention as lines</source>
        <translation>Attention en lignes</translation>
    </message>
    <message>
        <source>Arrow keys move between tokens, Space adds one to the choice.</source>
        <translation>Les flèches vont de token en token, Espace en choisit un de plus.</translation>
    </message>
</context>
<context>
    <name>headscope::HeadMap</name>
    <message>
        <source>first token</source>
        <translation>premier token</translation>
    </message>
    <message>
        <source>delimiters</source>
        <translation>délimiteurs</translation>
    </message>
    <message>
        <source>punctuation</source>
        <translation>ponctuation</translation>
    </message>
    <message>
        <source>words</source>
        <translation>mots</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>couche</translation>
    </message>
    <message>
        <source>share of attention</source>
        <translation>part de l’attention</translation>
    </message>
    <message>
        <source>|∂loss / ∂weight|</source>
        <translation>|∂perte / ∂poids|</translation>
    </message>
    <message>
        <source>no role</source>
        <translation>aucun rôle</translation>
    </message>
    <message>
        <source>no clear behaviour</source>
        <translation>pas de comportement net</translation>
    </message>
    <message>
        <source>distance %1</source>
        <translation>distance %1</translation>
    </message>
    <message>
        <source>stress %1</source>
        <translation>stress %1</translation>
    </message>
    <message>
        <source>next token</source>
        <translation>token suivant</translation>
    </message>
    <message>
        <source>previous token</source>
        <translation>token précédent</translation>
    </message>
    <message>
        <source>broad attention</source>
        <translation>attention diffuse</translation>
    </message>
    <message>
        <source>delimiter</source>
        <translation>délimiteur</translation>
    </message>
    <message>
        <source>itself</source>
        <translation>soi-même</translation>
    </message>
    <message>
        <source>previous</source>
        <translation>précédent</translation>
    </message>
    <message>
        <source>next</source>
        <translation>suivant</translation>
    </message>
    <message>
        <source>entropy %1 nats</source>
        <translation>entropie %1 nats</translation>
    </message>
    <message>
        <source>nearest %1 (%2)</source>
        <translation>plus proche&#xa0;: %1 (%2)</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>couche %1</translation>
    </message>
    <message>
        <source>root of the mean Jensen–Shannon divergence</source>
        <translation>racine de la divergence moyenne de Jensen–Shannon</translation>
    </message>
    <message>
        <source>mean Jensen–Shannon divergence [nats]</source>
        <translation>divergence moyenne de Jensen–Shannon [nats]</translation>
    </message>
    <message>
        <source>spread</source>
        <translation>dispersion</translation>
    </message>
    <message>
        <source>%1 of %2 examples</source>
        <translation>%1 exemples sur %2</translation>
    </message>
    <message numerus="yes">
        <source>%Ln examples</source>
        <translation>
            <numerusform>%Ln exemple</numerusform>
            <numerusform>%Ln exemples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::HeadMarkChart</name>
    <message numerus="yes">
        <source>%n heads; arrow keys move from one to the next</source>
        <translation>
            <numerusform>%n tête&#xa0;; les flèches vont de l’une à l’autre</numerusform>
            <numerusform>%n têtes&#xa0;; les flèches vont de l’une à l’autre</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::HeadMeasures</name>
    <message>
        <source>previous token</source>
        <translation>jeton précédent</translation>
    </message>
    <message>
        <source>next token</source>
        <translation>jeton suivant</translation>
    </message>
    <message>
        <source>the token itself</source>
        <translation>le jeton lui-même</translation>
    </message>
    <message>
        <source>same token elsewhere</source>
        <translation>le même jeton ailleurs</translation>
    </message>
    <message>
        <source>special tokens</source>
        <translation>jetons spéciaux</translation>
    </message>
    <message>
        <source>after the same token (induction)</source>
        <translation>après le même jeton (induction)</translation>
    </message>
    <message>
        <source>tokens that are copied</source>
        <translation>jetons copiés</translation>
    </message>
    <message>
        <source>the diagonal</source>
        <translation>la diagonale</translation>
    </message>
    <message>
        <source>examples</source>
        <translation>exemples</translation>
    </message>
    <message>
        <source>instances</source>
        <translation>occurrences</translation>
    </message>
    <message>
        <source>Largest weight at offset %1</source>
        <translation>Plus grand poids au décalage %1</translation>
    </message>
    <message>
        <source>Largest weight on one of the two rarest tokens</source>
        <translation>Plus grand poids sur l’un des deux jetons les plus rares</translation>
    </message>
    <message>
        <source>Attention mass: %1</source>
        <translation>Masse d’attention : %1</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>jetons</translation>
    </message>
    <message>
        <source>Relation %1</source>
        <translation>Relation %1</translation>
    </message>
    <message>
        <source>Fisher information</source>
        <translation>Information de Fisher</translation>
    </message>
    <message>
        <source>Score variance by content</source>
        <translation>Variance des scores par le contenu</translation>
    </message>
    <message>
        <source>Score variance by context</source>
        <translation>Variance des scores par le contexte</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Couche</translation>
    </message>
    <message>
        <source>Number in its layer</source>
        <translation>Numéro dans sa couche</translation>
    </message>
    <message>
        <source>of %1 examples</source>
        <translation>sur %1 exemples</translation>
    </message>
    <message>
        <source>the first tokens</source>
        <translation>les premiers tokens</translation>
    </message>
    <message>
        <source>distant tokens</source>
        <translation>les tokens lointains</translation>
    </message>
</context>
<context>
    <name>headscope::HeadQuery</name>
    <message>
        <source>“%1” is no head, role or comparison.</source>
        <translation>«&#xa0;%1&#xa0;» n’est ni une tête, ni un rôle, ni une comparaison.</translation>
    </message>
</context>
<context>
    <name>headscope::HeadStrip</name>
    <message>
        <source>Heads whose lines are shown</source>
        <translation>Têtes dont les lignes sont affichées</translation>
    </message>
    <message>
        <source>Click: show a head&apos;s lines or not. Double click: only this head, or all of the layer</source>
        <translation>Clic&#xa0;: afficher ou non les lignes d’une tête. Double-clic&#xa0;: seulement cette tête, ou toutes celles de la couche</translation>
    </message>
    <message>
        <source>%1. Shown: %2. Arrow keys move between heads, Space shows or hides a head, Enter shows only this one.</source>
        <translation>%1. Affichées&#xa0;: %2. Les flèches vont de tête en tête, Espace bascule, Entrée n’en laisse qu’une.</translation>
    </message>
</context>
<context>
    <name>headscope::HeadlessRun</name>
    <message numerus="yes">
        <source>%Ln files written to %1</source>
        <translation>
            <numerusform>%Ln fichier écrit dans %1</numerusform>
            <numerusform>%Ln fichiers écrits dans %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Not exported: %1</source>
        <translation>Non exporté : %1</translation>
    </message>
</context>
<context>
    <name>headscope::HeadsPage</name>
    <message>
        <source>&amp;Heads</source>
        <translation>&amp;Têtes</translation>
    </message>
    <message>
        <source>&amp;Table</source>
        <translation>Ta&amp;bleau</translation>
    </message>
    <message>
        <source>Show the numbers as a sortable table</source>
        <translation>Les mêmes nombres dans un tableau que l’on peut trier</translation>
    </message>
    <message>
        <source>Show as table</source>
        <translation>Afficher en tableau</translation>
    </message>
    <message>
        <source>H&amp;istogram</source>
        <translation>H&amp;istogramme</translation>
    </message>
    <message>
        <source>Distribution of the score without each head, removed one at a time</source>
        <translation>Combien de têtes laissent quel score quand elles sont retirées une à une</translation>
    </message>
    <message>
        <source>Show as histogram</source>
        <translation>Afficher en histogramme</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Ordre</translation>
    </message>
    <message>
        <source>Order of the grid</source>
        <translation>Ordre de la grille</translation>
    </message>
    <message>
        <source>&amp;Last layer above</source>
        <translation>&amp;Dernière couche en haut</translation>
    </message>
    <message>
        <source>&amp;First layer above</source>
        <translation>&amp;Première couche en haut</translation>
    </message>
    <message>
        <source>Layers by the &amp;mean rank of their heads</source>
        <translation>Couches selon le rang &amp;moyen de leurs têtes</translation>
    </message>
    <message>
        <source>&amp;Heads of each layer by rank</source>
        <translation>&amp;Têtes de chaque couche par rang</translation>
    </message>
    <message>
        <source>Heads as a table</source>
        <translation>Têtes en tableau</translation>
    </message>
    <message>
        <source>Histogram of %1 without one head, %2</source>
        <translation>Histogramme&#xa0;: %1 sans une tête, %2</translation>
    </message>
    <message>
        <source>The %1 data have no references, so no head can be judged by a score. What heads attend to is on the page Roles; their confidence: Analyse &gt; Confidence now.</source>
        <translation>Les données %1 n’ont pas de références&#xa0;: aucune tête ne peut être jugée par un score. Ce que regardent les têtes se trouve à la page Rôles&#xa0;; leur confiance&#xa0;: Analyse &gt; Confiance maintenant.</translation>
    </message>
    <message>
        <source>No in-domain data yet. Press “Choose data…” in the tool bar, or drop a table or two parallel text files here.</source>
        <translation>Pas encore de données dans le domaine. Appuyer sur «&#xa0;Choisir les données…&#xa0;» dans la barre d’outils, ou déposer ici un tableau ou deux fichiers texte parallèles.</translation>
    </message>
    <message>
        <source>No out-of-domain data yet. Press “Choose data…” in the tool bar.</source>
        <translation>Pas encore de données hors domaine. Appuyer sur «&#xa0;Choisir les données…&#xa0;» dans la barre d’outils.</translation>
    </message>
    <message>
        <source>The difference needs both an in-domain and an out-of-domain data set.</source>
        <translation>La différence nécessite un jeu de données dans le domaine et un hors domaine.</translation>
    </message>
    <message>
        <source>Not computed yet: Analyse &gt; Compute what is missing.</source>
        <translation>Pas encore calculé&#xa0;: Analyse &gt; Calculer ce qui manque.</translation>
    </message>
    <message>
        <source>%1 without one head, %2</source>
        <translation>%1 sans une tête, %2</translation>
    </message>
    <message>
        <source>%1 of %2 heads, %3.</source>
        <translation>%1 têtes sur %2, %3.</translation>
    </message>
    <message>
        <source>All heads on %1.</source>
        <translation>Toutes les têtes&#xa0;: %1.</translation>
    </message>
    <message>
        <source>Waiting for other work.</source>
        <translation>En attente d’autres travaux.</translation>
    </message>
    <message>
        <source>Paused while other work is done.</source>
        <translation>En pause pendant d’autres travaux.</translation>
    </message>
    <message>
        <source>Being refined.</source>
        <translation>Affinage en cours.</translation>
    </message>
    <message>
        <source>It failed: the study panel says why.</source>
        <translation>Échec&#xa0;: le panneau de l’étude dit pourquoi.</translation>
    </message>
    <message>
        <source>Each of %1 heads removed by itself, on %2; %3 change the score significantly (%4).</source>
        <translation>Chacune des %1 têtes retirée seule, sur %2&#xa0;; %3 modifient significativement le score (%4).</translation>
    </message>
    <message>
        <source>Computing: cells fill in as results arrive.</source>
        <translation>Calcul en cours&#xa0;: les cases se remplissent à mesure que les résultats arrivent.</translation>
    </message>
    <message>
        <source>%1 of %2 heads differ significantly from zero (%3)</source>
        <translation>%1 têtes sur %2 diffèrent significativement de zéro (%3)</translation>
    </message>
    <message>
        <source>&amp;Continue…</source>
        <translation>&amp;Continuer…</translation>
    </message>
    <message>
        <source>%1 of %2 with each of %3 heads removed by itself, on %4 (%5)</source>
        <translation>%1 de %2 avec chacune des %3 têtes retirée seule, sur %4 (%5)</translation>
    </message>
    <message>
        <source>Being refined, %1 left.</source>
        <translation>En cours d’affinage, encore %1.</translation>
    </message>
    <message>
        <source>Stopped: Analyse &gt; Compute what is missing computes the rest.</source>
        <translation>Arrêté&#xa0;: Analyse &gt; Calculer ce qui manque calcule le reste.</translation>
    </message>
    <message>
        <source>One cell for each &amp;key group</source>
        <translation>Une case par &amp;groupe de clés</translation>
    </message>
    <message>
        <source>No model is open.</source>
        <translation>Aucun modèle n’est ouvert.</translation>
    </message>
    <message>
        <source>Every head of this model has a key–value head of its own.</source>
        <translation>Chaque tête de ce modèle a sa propre tête de clés et de valeurs.</translation>
    </message>
    <message>
        <source>%1 of %2 key groups, %3.</source>
        <translation>%1 groupes de clés sur %2, %3.</translation>
    </message>
    <message>
        <source>All key groups on %1.</source>
        <translation>Tous les groupes de clés sur %1.</translation>
    </message>
    <message>
        <source>%1 of %2 key groups differ significantly from zero (%3)</source>
        <translation>%1 groupes de clés sur %2 diffèrent significativement de zéro (%3)</translation>
    </message>
    <message>
        <source>Ablation, importance, confidence and Shapley values of all heads that share a key–value head as one. Other measures are of heads.</source>
        <translation>Ablation, importance, confiance et valeurs de Shapley de toutes les têtes qui partagent une tête de clés et de valeurs, comme une seule. Les autres mesures se rapportent aux têtes.</translation>
    </message>
    <message>
        <source>The values by %1, which are there</source>
        <translation>Les valeurs selon&#xa0;%1, qui sont là</translation>
    </message>
    <message>
        <source>There are values by %1, none by %2: choose under Continue.</source>
        <translation>Il y a des valeurs selon&#xa0;%1, aucune selon&#xa0;%2&#xa0;: choisissez sous Continuer.</translation>
    </message>
    <message>
        <source>They say little of others: of fewer than 6 nothing can be significant.</source>
        <translation>Elles disent peu des autres&#xa0;: avec moins de 6, rien ne peut être significatif.</translation>
    </message>
    <message>
        <source>The position of layers and heads in the grid; which layer is above holds for all grids and maps. Ranks are by the measure shown, 1 for the head that matters most.</source>
        <translation>La position des couches et des têtes dans la grille ; la couche placée en haut vaut pour toutes les grilles et cartes. Les rangs suivent la mesure affichée, 1 pour la tête qui compte le plus.</translation>
    </message>
    <message>
        <source>Paused, for the rest takes %1. Continue… &gt; All %2 examples computes it in full.</source>
        <translation>En pause, car le reste prend %1. Continuer… &gt; Les %2 exemples le calcule en entier.</translation>
    </message>
</context>
<context>
    <name>headscope::HeatMap</name>
    <message>
        <source>masked</source>
        <translation>masquée</translation>
    </message>
    <message>
        <source>hidden tokens</source>
        <translation>tokens cachés</translation>
    </message>
    <message>
        <source>%1 → %2: %3</source>
        <translation>%1 → %2&#xa0;: %3</translation>
    </message>
</context>
<context>
    <name>headscope::HeatMapView</name>
    <message>
        <source>Attention heat map</source>
        <translation>Carte de chaleur de l’attention</translation>
    </message>
    <message>
        <source>Attention heat map, empty</source>
        <translation>Carte de chaleur de l’attention, vide</translation>
    </message>
    <message>
        <source>Attention heat map of %1</source>
        <translation>Carte de chaleur de l’attention de %1</translation>
    </message>
    <message>
        <source>Arrow keys move between weights.</source>
        <translation>Les flèches vont de poids en poids.</translation>
    </message>
</context>
<context>
    <name>headscope::Histogram</name>
    <message>
        <source>%1 without the head</source>
        <translation>%1 sans la tête</translation>
    </message>
    <message>
        <source>%1 without the head (%2)</source>
        <translation>%1 sans la tête (%2)</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>têtes</translation>
    </message>
    <message>
        <source>not significant</source>
        <translation>non significatif</translation>
    </message>
    <message>
        <source>full model, %1</source>
        <translation>modèle complet, %1</translation>
    </message>
    <message>
        <source>significant (%1)</source>
        <translation>significatif (%1)</translation>
    </message>
</context>
<context>
    <name>headscope::HistogramChart</name>
    <message>
        <source>Histogram of scores without one head</source>
        <translation>Histogramme des scores sans une tête</translation>
    </message>
    <message numerus="yes">
        <source>%n heads</source>
        <translation>
            <numerusform>%n tête</numerusform>
            <numerusform>%n têtes</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 to %2: %3, %4 of them significant</source>
        <translation>%1 à %2 : %3, dont %4 significatives</translation>
    </message>
</context>
<context>
    <name>headscope::Inspector</name>
    <message>
        <source>Selected head</source>
        <translation>Tête sélectionnée</translation>
    </message>
    <message>
        <source>Show attention</source>
        <translation>Afficher l’attention</translation>
    </message>
    <message>
        <source>No head selected</source>
        <translation>Aucune tête sélectionnée</translation>
    </message>
    <message>
        <source>Click a cell, or move with the arrow keys: all results of the head appear here.</source>
        <translation>Cliquer sur une case, ou se déplacer avec les flèches&#xa0;: tout ce que l’on sait de la tête s’affiche ici.</translation>
    </message>
    <message>
        <source>Open a model to inspect its heads.</source>
        <translation>Ouvrir un modèle pour inspecter ses têtes.</translation>
    </message>
    <message>
        <source>Unmask</source>
        <translation>Démasquer</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>Masquer</translation>
    </message>
    <message>
        <source> – &lt;b&gt;masked&lt;/b&gt;</source>
        <translation> – &lt;b&gt;masquée&lt;/b&gt;</translation>
    </message>
    <message>
        <source>(%1 selected)</source>
        <translation>(sélection&#xa0;: %1)</translation>
    </message>
    <message>
        <source>Δ %1</source>
        <translation>Δ %1</translation>
    </message>
    <message>
        <source>not computed yet</source>
        <translation>pas encore calculé</translation>
    </message>
    <message>
        <source>p %1 (Holm %2)</source>
        <translation>p %1 (Holm %2)</translation>
    </message>
    <message>
        <source>McNemar p %1</source>
        <translation>p de McNemar %1</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>Rôle</translation>
    </message>
    <message>
        <source>none passes the thresholds</source>
        <translation>aucun n’atteint les seuils</translation>
    </message>
    <message numerus="yes">
        <source>best fixed offset %1, %Ln instances</source>
        <translation>
            <numerusform>meilleur décalage fixe %1, %Ln occurrence</numerusform>
            <numerusform>meilleur décalage fixe %1, %Ln occurrences</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>by chance %1, %Ln instances</source>
        <translation>
            <numerusform>au hasard %1, %Ln occurrence</numerusform>
            <numerusform>au hasard %1, %Ln occurrences</numerusform>
        </translation>
    </message>
    <message>
        <source>ambiguous: %1</source>
        <translation>ambigu&#xa0;: %1</translation>
    </message>
    <message>
        <source>%1 sentences for, %2 against: page Roles</source>
        <translation>%1 phrases pour, %2 contre&#xa0;: page Rôles</translation>
    </message>
    <message>
        <source>On “%1” and “%2”</source>
        <translation>Sur «&#xa0;%1&#xa0;» et «&#xa0;%2&#xa0;»</translation>
    </message>
    <message>
        <source>On “%1”</source>
        <translation>Sur «&#xa0;%1&#xa0;»</translation>
    </message>
    <message>
        <source>: %1</source>
        <translation>&#xa0;: %1</translation>
    </message>
    <message>
        <source>%1, layer %2, head %3</source>
        <translation>%1, couche %2, tête %3</translation>
    </message>
    <message>
        <source>p %1 (Holm %2, Benjamini–Hochberg %3)</source>
        <translation>p %1 (Holm %2, Benjamini–Hochberg %3)</translation>
    </message>
    <message>
        <source>significant (%1)</source>
        <translation>significatif (%1)</translation>
    </message>
    <message>
        <source>not significant (%1)</source>
        <translation>non significatif (%1)</translation>
    </message>
    <message>
        <source>rank %1 of %2, %3</source>
        <translation>rang %1 sur %2, %3</translation>
    </message>
    <message>
        <source>previous</source>
        <translation>précédent</translation>
    </message>
    <message>
        <source>next</source>
        <translation>suivant</translation>
    </message>
    <message>
        <source>itself</source>
        <translation>lui-même</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>premier token</translation>
    </message>
    <message>
        <source>delimiters</source>
        <translation>délimiteurs</translation>
    </message>
    <message>
        <source>punctuation</source>
        <translation>ponctuation</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 nats</source>
        <translation>%1 nats</translation>
    </message>
    <message>
        <source>; of the first token %1</source>
        <translation>&#xa0;; du premier token %1</translation>
    </message>
    <message>
        <source>Attention to</source>
        <translation>Attention à</translation>
    </message>
    <message>
        <source>Entropy</source>
        <translation>Entropie</translation>
    </message>
    <message>
        <source>Tests, ranks and counts</source>
        <translation>Tests, rangs et effectifs</translation>
    </message>
    <message>
        <source>p-values, ranks, and how many examples each number rests on</source>
        <translation>Valeurs p, rangs, et nombre d’exemples derrière chaque chiffre</translation>
    </message>
    <message>
        <source>may be chance</source>
        <translation>peut être dû au hasard</translation>
    </message>
    <message>
        <source>none</source>
        <translation>aucun</translation>
    </message>
    <message>
        <source>p %1 (Benjamini–Hochberg %2)</source>
        <translation>p %1 (Benjamini–Hochberg %2)</translation>
    </message>
    <message>
        <source>By gates</source>
        <translation>Selon les portes</translation>
    </message>
    <message>
        <source>Taken over</source>
        <translation>Repris</translation>
    </message>
    <message>
        <source>helps the task</source>
        <translation>aide la tâche</translation>
    </message>
    <message>
        <source>interferes with the task</source>
        <translation>gêne la tâche</translation>
    </message>
    <message>
        <source>does not matter</source>
        <translation>ne compte pas</translation>
    </message>
    <message>
        <source>%1 (%2 of %3 seeds)</source>
        <translation>%1 (%2 graines sur %3)</translation>
    </message>
    <message>
        <source>most by %1 (%2)</source>
        <translation>surtout par %1 (%2)</translation>
    </message>
    <message>
        <source>%1 %, %2</source>
        <translation>%1 %, %2</translation>
    </message>
    <message>
        <source>%1 of its key group</source>
        <translation>%1 de son groupe de clés</translation>
    </message>
    <message>
        <source>it needs distant tokens: %1 %2 with a window, p %3; attention to them:</source>
        <translation>elle a besoin de tokens lointains&#xa0;: %1 %2 avec une fenêtre, p %3&#xa0;; attention vers eux&#xa0;:</translation>
    </message>
    <message>
        <source>sees the first %1 tokens and those nearer than %2</source>
        <translation>voit les %1 premiers tokens et ceux à moins de %2</translation>
    </message>
    <message>
        <source>Unmask %1</source>
        <translation>Démasquer %1</translation>
    </message>
    <message>
        <source>Mask %1</source>
        <translation>Masquer %1</translation>
    </message>
    <message>
        <source>Without data</source>
        <translation>Sans données</translation>
    </message>
    <message>
        <source>the model alone</source>
        <translation>le modèle seul</translation>
    </message>
    <message>
        <source>On repeated tokens</source>
        <translation>Sur des tokens répétés</translation>
    </message>
    <message>
        <source>rank %1 of %2</source>
        <translation>rang %1 sur %2</translation>
    </message>
    <message>
        <source>Numbers of the selected head</source>
        <translation>Nombres de la tête sélectionnée</translation>
    </message>
</context>
<context>
    <name>headscope::JobModel</name>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>%1 s left</source>
        <translation>reste %1 s</translation>
    </message>
    <message>
        <source>%1 min left</source>
        <translation>reste %1 min</translation>
    </message>
    <message>
        <source>%1 h left</source>
        <translation>reste %1 h</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>arrêt en cours</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>en attente</translation>
    </message>
    <message>
        <source>running</source>
        <translation>en cours</translation>
    </message>
    <message>
        <source>done</source>
        <translation>terminée</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>échouée</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>arrêtée</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>Tâche</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>En cours</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fait</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Débit</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>Temps restant</translation>
    </message>
    <message>
        <source>State</source>
        <translation>État</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>en pause</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
</context>
<context>
    <name>headscope::JobPanel</name>
    <message>
        <source>Cancel job</source>
        <translation>Arrêter la tâche</translation>
    </message>
    <message>
        <source>Cancel all</source>
        <translation>Tout arrêter</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Tâches</translation>
    </message>
    <message>
        <source>Forget finished</source>
        <translation>Oublier les terminées</translation>
    </message>
</context>
<context>
    <name>headscope::LayerChart</name>
    <message>
        <source>%1: %2 in layer %3, %4 in layer %5</source>
        <translation>%1&#xa0;: %2 à la couche %3, %4 à la couche %5</translation>
    </message>
</context>
<context>
    <name>headscope::LayersPage</name>
    <message>
        <source>&amp;Layers</source>
        <translation>Co&amp;uches</translation>
    </message>
    <message>
        <source>Reported in-domain</source>
        <translation>Mesuré dans le domaine</translation>
    </message>
    <message>
        <source>Reported out-of-domain</source>
        <translation>Mesuré hors domaine</translation>
    </message>
    <message>
        <source>The data set that the numbers come from. Where there are two, each layer&apos;s head is chosen on the other, so that the choice does not flatter it</source>
        <translation>Le jeu de données d’où viennent les nombres. S’il y en a deux, la tête de chaque couche est choisie sur l’autre, pour que le choix ne la flatte pas</translation>
    </message>
    <message>
        <source>&amp;Compute</source>
        <translation>&amp;Calculer</translation>
    </message>
    <message>
        <source>The best single head of every layer</source>
        <translation>La meilleure tête seule de chaque couche</translation>
    </message>
    <message>
        <source>Keeps one head of a layer after the other, on every data set</source>
        <translation>Garde une tête d’une couche après l’autre, sur chaque jeu de données</translation>
    </message>
    <message>
        <source>&lt;b&gt;One head of a layer alone&lt;/b&gt;, %1</source>
        <translation>&lt;b&gt;Une seule tête par couche&lt;/b&gt;, %1</translation>
    </message>
    <message>
        <source>The heads were chosen on the same data, which flatters them: a second data set would show how far.</source>
        <translation>Les têtes ont été choisies sur les mêmes données, ce qui les flatte&#xa0;: un second jeu de données montrerait de combien.</translation>
    </message>
    <message>
        <source>The heads were chosen on %1.</source>
        <translation>Les têtes ont été choisies sur %1.</translation>
    </message>
    <message>
        <source>No model is open. Open a model folder to see whether one head of a layer is enough.</source>
        <translation>Aucun modèle n’est ouvert. Ouvrir un dossier de modèle pour voir si une tête par couche suffit.</translation>
    </message>
    <message>
        <source>No data set is open. Choose one, then press Compute.</source>
        <translation>Aucun jeu de données n’est ouvert. En choisir un, puis appuyer sur Calculer.</translation>
    </message>
    <message>
        <source>Nothing has been computed yet. Press Compute: every layer is run with one of its heads after the other.</source>
        <translation>Rien n’a encore été calculé. Appuyer sur Calculer&#xa0;: chaque couche est évaluée avec une seule de ses têtes, l’une après l’autre.</translation>
    </message>
    <message>
        <source>One head a layer, %1</source>
        <translation>Une tête par couche, %1</translation>
    </message>
    <message>
        <source>%1 of %2 with one head of a layer alone. %3</source>
        <translation>%1 de %2 avec une seule tête dans une couche. %3</translation>
    </message>
    <message>
        <source>In %1 of %2 layers the best head alone is not significantly worse than all (%3; %4). %5</source>
        <translation>Dans %1 couches sur %2, la meilleure tête seule n’est pas significativement moins bonne que toutes (%3&#xa0;; %4). %5</translation>
    </message>
    <message>
        <source>%1 alone: %2 %3, %4</source>
        <translation>%1 seule : %2 %3, %4</translation>
    </message>
    <message numerus="yes">
        <source>%Ln examples</source>
        <translation>
            <numerusform>%Ln exemple</numerusform>
            <numerusform>%Ln exemples</numerusform>
        </translation>
    </message>
    <message>
        <source>layer whose best head is kept alone</source>
        <translation>couche dont seule la meilleure tête reste</translation>
    </message>
    <message>
        <source>Δ %1</source>
        <translation>Δ %1</translation>
    </message>
    <message>
        <source>Δ %1 (%2)</source>
        <translation>Δ %1 (%2)</translation>
    </message>
    <message>
        <source>What each layer loses with its best head alone</source>
        <translation>Ce que perd chaque couche avec sa seule meilleure tête</translation>
    </message>
    <message>
        <source>Best head alone by layer, %1</source>
        <translation>Meilleure tête seule par couche, %1</translation>
    </message>
    <message>
        <source>S&amp;horter…</source>
        <translation>Plus cou&amp;rt…</translation>
    </message>
    <message>
        <source>Every head alone</source>
        <translation>Chaque tête seule</translation>
    </message>
</context>
<context>
    <name>headscope::Legend</name>
    <message>
        <source>not computed</source>
        <translation>non calculé</translation>
    </message>
</context>
<context>
    <name>headscope::LineChart</name>
    <message>
        <source>%1, points: %2</source>
        <translation>%1, points&#xa0;: %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Nothing to show yet.</source>
        <translation>Rien à afficher pour l’instant.</translation>
    </message>
</context>
<context>
    <name>headscope::LineSeries</name>
    <message>
        <source>%1 %</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>heads of the kind removed</source>
        <translation>têtes du type retirées</translation>
    </message>
    <message>
        <source>heads masked</source>
        <translation>têtes masquées</translation>
    </message>
    <message>
        <source>heads removed</source>
        <translation>têtes retirées</translation>
    </message>
    <message>
        <source>examples in a batch</source>
        <translation>exemples par lot</translation>
    </message>
    <message>
        <source>examples per second more than the original (%)</source>
        <translation>gain en exemples par seconde par rapport à l’original (%)</translation>
    </message>
</context>
<context>
    <name>headscope::MainWindow</name>
    <message>
        <source>Pages</source>
        <translation>Pages</translation>
    </message>
    <message>
        <source>‹ Start page</source>
        <translation>‹ Accueil</translation>
    </message>
    <message>
        <source>Study</source>
        <translation>Étude</translation>
    </message>
    <message>
        <source>Selected head</source>
        <translation>Tête sélectionnée</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Tâches</translation>
    </message>
    <message>
        <source>%1…</source>
        <translation>%1…</translation>
    </message>
    <message>
        <source>Demo</source>
        <translation>Démo</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 sur %2</translation>
    </message>
    <message>
        <source>Headscope</source>
        <translation>Headscope</translation>
    </message>
    <message>
        <source>%1[*] – Headscope</source>
        <translation>%1[*] – Headscope</translation>
    </message>
    <message>
        <source>Open &amp;model…</source>
        <translation>Ouvrir un &amp;modèle…</translation>
    </message>
    <message>
        <source>Open on another mac&amp;hine…</source>
        <translation>Ouvrir sur une autre mac&amp;hine…</translation>
    </message>
    <message>
        <source>Open &amp;study…</source>
        <translation>Ouvrir une é&amp;tude…</translation>
    </message>
    <message>
        <source>Open the &amp;demo</source>
        <translation>Ouvrir la &amp;démo</translation>
    </message>
    <message>
        <source>&amp;Train a model…</source>
        <translation>&amp;Entraîner un modèle…</translation>
    </message>
    <message>
        <source>Choose &amp;data…</source>
        <translation>Choisir les d&amp;onnées…</translation>
    </message>
    <message>
        <source>&amp;Save study</source>
        <translation>En&amp;registrer l’étude</translation>
    </message>
    <message>
        <source>Save study &amp;as…</source>
        <translation>Enregistrer l’étude &amp;sous…</translation>
    </message>
    <message>
        <source>&amp;Export this view…</source>
        <translation>E&amp;xporter cette vue…</translation>
    </message>
    <message>
        <source>Export e&amp;verything…</source>
        <translation>Tout ex&amp;porter…</translation>
    </message>
    <message>
        <source>Write &amp;report…</source>
        <translation>Écr&amp;ire un rapport…</translation>
    </message>
    <message>
        <source>&amp;Copy picture and table</source>
        <translation>&amp;Copier l’image et le tableau</translation>
    </message>
    <message>
        <source>C&amp;lear masks</source>
        <translation>&amp;Effacer les masques</translation>
    </message>
    <message>
        <source>&amp;Mask or unmask selected heads</source>
        <translation>&amp;Masquer ou démasquer les têtes sélectionnées</translation>
    </message>
    <message>
        <source>&amp;Find heads…</source>
        <translation>&amp;Trouver des têtes…</translation>
    </message>
    <message>
        <source>Save &amp;pruned model…</source>
        <translation>Enregistrer le modèle é&amp;lagué…</translation>
    </message>
    <message>
        <source>Compute what is &amp;missing</source>
        <translation>Calculer ce qui &amp;manque</translation>
    </message>
    <message>
        <source>&amp;Cancel all jobs</source>
        <translation>Arrêter to&amp;utes les tâches</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Annuler</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Rétablir</translation>
    </message>
    <message>
        <source>Main</source>
        <translation>Principale</translation>
    </message>
    <message>
        <source> Measure: </source>
        <translation> Mesure&#xa0;: </translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Mesure</translation>
    </message>
    <message>
        <source> Metric: </source>
        <translation> Métrique&#xa0;: </translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Métrique</translation>
    </message>
    <message>
        <source>The metric by which heads are judged: in ablation, pruning and under the masks</source>
        <translation>Le score qui sert à juger les têtes&#xa0;: ablation, élagage et masques</translation>
    </message>
    <message>
        <source> Domain: </source>
        <translation> Domaine&#xa0;: </translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Fichier</translation>
    </message>
    <message>
        <source>&amp;Recent</source>
        <translation>Ré&amp;cents</translation>
    </message>
    <message>
        <source>Rec&amp;over</source>
        <translation>Réc&amp;upérer</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Quitter</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>É&amp;dition</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modèle</translation>
    </message>
    <message>
        <source>Remove %1 data</source>
        <translation>Retirer les données %1</translation>
    </message>
    <message>
        <source>&amp;Analyse</source>
        <translation>&amp;Analyse</translation>
    </message>
    <message>
        <source>&amp;Ablation sweep now</source>
        <translation>&amp;Balayage d’ablation maintenant</translation>
    </message>
    <message>
        <source>&amp;Importance now</source>
        <translation>&amp;Importance maintenant</translation>
    </message>
    <message>
        <source>&amp;Confidence now</source>
        <translation>&amp;Confiance maintenant</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>Afficha&amp;ge</translation>
    </message>
    <message>
        <source>Show r&amp;oles in grids</source>
        <translation>Afficher les rô&amp;les dans les grilles</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>&amp;Réinitialiser la disposition</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Thème</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>&amp;Système</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Clair</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>S&amp;ombre</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>&amp;Langue</translation>
    </message>
    <message>
        <source>The language changes at the next start of Headscope.</source>
        <translation>La langue change au prochain démarrage de Headscope.</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>A&amp;ide</translation>
    </message>
    <message>
        <source>&amp;Guide to this page</source>
        <translation>&amp;Guide de cette page</translation>
    </message>
    <message>
        <source>&amp;Tutorial</source>
        <translation>&amp;Tutoriel</translation>
    </message>
    <message>
        <source>&amp;About Headscope</source>
        <translation>À &amp;propos de Headscope</translation>
    </message>
    <message>
        <source>Open a model first</source>
        <translation>Ouvrir d’abord un modèle</translation>
    </message>
    <message>
        <source>This page has nothing to export yet</source>
        <translation>Cette page n’a encore rien à exporter</translation>
    </message>
    <message>
        <source>Choose in-domain data first</source>
        <translation>Choisir d’abord des données dans le domaine</translation>
    </message>
    <message>
        <source>No head is masked</source>
        <translation>Aucune tête n’est masquée</translation>
    </message>
    <message>
        <source>Select heads first</source>
        <translation>Sélectionner d’abord des têtes</translation>
    </message>
    <message>
        <source>Mask the heads to leave out first</source>
        <translation>Masquer d’abord les têtes à supprimer</translation>
    </message>
    <message>
        <source> Masks: %1 </source>
        <translation> Masques&#xa0;: %1 </translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Quitter</translation>
    </message>
    <message>
        <source>Open the c&amp;lassifier demo</source>
        <translation>Ouvrir la démo du c&amp;lassifieur</translation>
    </message>
    <message>
        <source>&amp;Run on a cluster…</source>
        <translation>Ca&amp;lculer sur un cluster…</translation>
    </message>
    <message>
        <source>There are no %1 data</source>
        <translation>Il n’y a pas de données %1</translation>
    </message>
    <message>
        <source>High contrast, light</source>
        <translation>Contraste élevé, clair</translation>
    </message>
    <message>
        <source>High contrast, dark</source>
        <translation>Contraste élevé, sombre</translation>
    </message>
    <message>
        <source>S&amp;ignificance</source>
        <translation>S&amp;ignificativité</translation>
    </message>
    <message>
        <source>p ≤ %1</source>
        <translation>p ≤ %1</translation>
    </message>
    <message>
        <source>Nothing is missing: all that this page shows is there.</source>
        <translation>Rien ne manque : tout ce que montre cette page est là.</translation>
    </message>
    <message>
        <source>This page is not about the open model</source>
        <translation>Cette page ne concerne pas le modèle ouvert</translation>
    </message>
    <message numerus="yes">
        <source>%Ln results complete</source>
        <translation>
            <numerusform>%Ln résultat complet</numerusform>
            <numerusform>%Ln résultats complets</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln being computed</source>
        <translation>
            <numerusform>%Ln en cours de calcul</numerusform>
            <numerusform>%Ln en cours de calcul</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln stopped</source>
        <translation>
            <numerusform>%Ln arrêté</numerusform>
            <numerusform>%Ln arrêtés</numerusform>
        </translation>
    </message>
    <message>
        <source>No head selected</source>
        <translation>Aucune tête sélectionnée</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Calculer</translation>
    </message>
    <message>
        <source>Find a &amp;command…</source>
        <translation>&amp;Chercher une commande…</translation>
    </message>
    <message>
        <source>Find a command, an analysis or a page by what it does (Ctrl+K)</source>
        <translation>Trouver une commande, une analyse ou une page par ce qu’elle fait (Ctrl+K)</translation>
    </message>
    <message>
        <source>Reads a model from its folder</source>
        <translation>Lit un modèle dans son dossier</translation>
    </message>
    <message>
        <source>Works with a model on a server over SSH</source>
        <translation>Travaille avec un modèle sur un serveur, par SSH</translation>
    </message>
    <message>
        <source>Opens saved results with their masks</source>
        <translation>Ouvre des résultats enregistrés avec leurs masques</translation>
    </message>
    <message>
        <source>A small translation model with its results, to try things out</source>
        <translation>Un petit modèle de traduction avec ses résultats, pour essayer</translation>
    </message>
    <message>
        <source>A small text classifier with its results</source>
        <translation>Un petit classifieur de textes avec ses résultats</translation>
    </message>
    <message>
        <source>Trains a model whose epochs can be studied</source>
        <translation>Entraîne un modèle dont on peut étudier les époques</translation>
    </message>
    <message>
        <source>The texts that scores are measured on: in-domain and out-of-domain</source>
        <translation>Les textes sur lesquels les scores sont mesurés : dans le domaine et hors domaine</translation>
    </message>
    <message>
        <source>Keeps results, masks and layout in a file</source>
        <translation>Conserve les résultats, les masques et la disposition dans un fichier</translation>
    </message>
    <message>
        <source>Writes the picture or the table of this page to a file: PNG, SVG, PDF, CSV, LaTeX</source>
        <translation>Écrit l’image ou le tableau de cette page dans un fichier : PNG, SVG, PDF, CSV, LaTeX</translation>
    </message>
    <message>
        <source>Writes the pictures and tables of all pages into a folder</source>
        <translation>Écrit les images et les tableaux de toutes les pages dans un dossier</translation>
    </message>
    <message>
        <source>Writes a page with all results, to read or to send</source>
        <translation>Écrit une page avec tous les résultats, à lire ou à envoyer</translation>
    </message>
    <message>
        <source>Puts the picture and the table of this page on the clipboard</source>
        <translation>Place l’image et le tableau de cette page dans le presse-papiers</translation>
    </message>
    <message>
        <source>Switches all heads on again</source>
        <translation>Réactive toutes les têtes</translation>
    </message>
    <message>
        <source>Switches heads off or on, and measures the score without them</source>
        <translation>Désactive ou réactive des têtes et mesure le score sans elles</translation>
    </message>
    <message>
        <source>Selects heads by name, role or p value</source>
        <translation>Sélectionne des têtes par nom, rôle ou valeur p</translation>
    </message>
    <message>
        <source>Writes a smaller model without the masked heads, and measures its speed</source>
        <translation>Écrit un modèle plus petit sans les têtes masquées et mesure sa vitesse</translation>
    </message>
    <message>
        <source>Computes or resumes scores, ablation, importance and confidence</source>
        <translation>Calcule ou reprend les scores, l’ablation, l’importance et la confiance</translation>
    </message>
    <message>
        <source>Spreads a sweep over machines that run Slurm</source>
        <translation>Répartit un balayage sur des machines gérées par Slurm</translation>
    </message>
    <message>
        <source>Stops everything; what is done is kept</source>
        <translation>Arrête tout ; ce qui est fait est conservé</translation>
    </message>
    <message>
        <source>Letters of roles in the cells of grids</source>
        <translation>Lettres des rôles dans les cellules des grilles</translation>
    </message>
    <message>
        <source>Ctrl+%1</source>
        <translation>Ctrl+%1</translation>
    </message>
    <message>
        <source>Analyses</source>
        <translation>Analyses</translation>
    </message>
    <message>
        <source>There is nothing to do</source>
        <translation>Il n’y a rien à faire</translation>
    </message>
    <message>
        <source>Computes what this page shows and is not there yet, and the basic results: score, ablation, importance and confidence (F5)</source>
        <translation>Calcule ce que montre cette page et qui manque encore, et les résultats de base : score, ablation, importance et confiance (F5)</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Écrit : %1</translation>
    </message>
    <message>
        <source>Pac&amp;k study…</source>
        <translation>Emp&amp;aqueter l’étude…</translation>
    </message>
    <message>
        <source>Puts study, data and model into one file, to send or to archive</source>
        <translation>Met l’étude, les données et le modèle dans un seul fichier, à envoyer ou à archiver</translation>
    </message>
    <message>
        <source>Model and data are on another machine: pack the study there</source>
        <translation>Le modèle et les données sont sur une autre machine : empaqueter l’étude là-bas</translation>
    </message>
    <message>
        <source>Write &amp;report</source>
        <translation>Écrire un rapp&amp;ort</translation>
    </message>
    <message>
        <source>This takes %1.</source>
        <translation>Cela prend %1.</translation>
    </message>
    <message>
        <source>Shorter…</source>
        <translation>Plus court…</translation>
    </message>
    <message>
        <source>Panel &amp;beside the picture</source>
        <translation>&amp;Panneau à côté de l’image</translation>
    </message>
    <message>
        <source>Nothing on this page folds beside the picture</source>
        <translation>Rien ne se replie à côté de l’image sur cette page</translation>
    </message>
    <message>
        <source>Open the pro&amp;nunciation demo</source>
        <translation>Ouvrir la démo de pro&amp;nonciation</translation>
    </message>
    <message>
        <source>A small model with a positional head and one for rare words</source>
        <translation>Un petit modèle avec une tête positionnelle et une tête des mots rares</translation>
    </message>
    <message>
        <source>Show what is judged by %1</source>
        <translation>Montrer ce qui est jugé selon&#xa0;%1</translation>
    </message>
    <message>
        <source>More of the tool bar</source>
        <translation>Suite de la barre d’outils</translation>
    </message>
    <message>
        <source>screenshot, picture, figure, download, image, print</source>
        <translation>capture d’écran, image, figure, télécharger, imprimer</translation>
    </message>
    <message>
        <source>screenshots, pictures, figures, all tables</source>
        <translation>captures d’écran, images, figures, toutes les tables</translation>
    </message>
    <message>
        <source>screenshot, clipboard, paste</source>
        <translation>capture d’écran, presse-papiers, coller</translation>
    </message>
    <message>
        <source>summary, HTML, paper</source>
        <translation>résumé, HTML, article</translation>
    </message>
    <message>
        <source>test set, corpus, data set, references, labels</source>
        <translation>jeu de test, corpus, jeu de données, références, étiquettes</translation>
    </message>
    <message>
        <source>remove head, ablate, knock out, disable, BLEU without head, accuracy without head</source>
        <translation>retirer une tête, ablation, désactiver, BLEU sans la tête, exactitude sans la tête</translation>
    </message>
    <message>
        <source>compress, export model, smaller model, checkpoint</source>
        <translation>compresser, exporter le modèle, modèle plus petit, point de contrôle</translation>
    </message>
    <message>
        <source>run, start, resume, continue</source>
        <translation>lancer, démarrer, reprendre, continuer</translation>
    </message>
    <message>
        <source>stop, abort, interrupt</source>
        <translation>arrêter, abandonner, interrompre</translation>
    </message>
    <message>
        <source>search heads, filter, positional heads</source>
        <translation>chercher des têtes, filtrer, têtes positionnelles</translation>
    </message>
    <message>
        <source>Shows it of every head</source>
        <translation>La montre pour chaque tête</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Tête</translation>
    </message>
    <message>
        <source>head values role measures</source>
        <translation>tête valeurs rôle mesures</translation>
    </message>
    <message>
        <source>Attention of %1</source>
        <translation>Attention de %1</translation>
    </message>
    <message>
        <source>What it attends to in a sentence</source>
        <translation>Ce qu’elle regarde dans une phrase</translation>
    </message>
    <message>
        <source>head heat map weights</source>
        <translation>tête carte de chaleur poids</translation>
    </message>
    <message>
        <source>Unmask %1</source>
        <translation>Démasquer %1</translation>
    </message>
    <message>
        <source>Mask %1</source>
        <translation>Masquer %1</translation>
    </message>
    <message>
        <source>Switches it on again</source>
        <translation>La réactive</translation>
    </message>
    <message>
        <source>Switches it off, and measures the score without it</source>
        <translation>La désactive et mesure le score sans elle</translation>
    </message>
    <message>
        <source>head remove ablate BLEU without accuracy without</source>
        <translation>tête retirer ablation BLEU sans exactitude sans</translation>
    </message>
</context>
<context>
    <name>headscope::MapChart</name>
    <message>
        <source>Map of heads</source>
        <translation>Carte des têtes</translation>
    </message>
</context>
<context>
    <name>headscope::MapPage</name>
    <message>
        <source>Map of &amp;heads now</source>
        <translation>Carte des &amp;têtes maintenant</translation>
    </message>
    <message>
        <source>&amp;Gradients of attention now</source>
        <translation>&amp;Gradients de l’attention maintenant</translation>
    </message>
    <message>
        <source>&amp;Map</source>
        <translation>C&amp;arte</translation>
    </message>
    <message>
        <source>Spread of the heads of a layer, over the layers</source>
        <translation>Dispersion des têtes d’une couche, selon les couches</translation>
    </message>
    <message>
        <source>Attention to special tokens, punctuation and words, over the layers</source>
        <translation>Attention aux tokens spéciaux, à la ponctuation et aux mots, selon les couches</translation>
    </message>
    <message>
        <source>Gradient of the loss by attention to them, over the layers</source>
        <translation>Gradient de la perte par rapport à l’attention qui leur est portée, selon les couches</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>Dispersion</translation>
    </message>
    <message>
        <source>What heads attend to, and whether the loss follows that attention (Clark et al. 2019, Figures 2 and 3)</source>
        <translation>Ce que regardent les têtes, et si la perte dépend de cette attention (Clark et al. 2019, figures 2 et 3)</translation>
    </message>
    <message>
        <source>Kind of attention</source>
        <translation>Type d’attention</translation>
    </message>
    <message>
        <source>Heads of different kinds attend to different tokens: they cannot be compared</source>
        <translation>Les têtes de types différents regardent des tokens différents&#xa0;: elles ne sont pas comparables</translation>
    </message>
    <message>
        <source>Colours of the heads</source>
        <translation>Couleurs des têtes</translation>
    </message>
    <message>
        <source>Coloured by layer</source>
        <translation>Couleur&#xa0;: couche</translation>
    </message>
    <message>
        <source>Coloured by role</source>
        <translation>Couleur&#xa0;: rôle</translation>
    </message>
    <message>
        <source>Coloured by behaviour</source>
        <translation>Couleur&#xa0;: comportement</translation>
    </message>
    <message>
        <source>What the page Roles says of them</source>
        <translation>Ce que la page Rôles en dit</translation>
    </message>
    <message>
        <source>What they attend to first of all (Clark et al. 2019, Figure 6)</source>
        <translation>Ce qu’elles regardent en premier (Clark et al. 2019, figure 6)</translation>
    </message>
    <message>
        <source>In-domain</source>
        <translation>Dans le domaine</translation>
    </message>
    <message>
        <source>Out-of-domain</source>
        <translation>Hors domaine</translation>
    </message>
    <message>
        <source>Data set that attention is compared on</source>
        <translation>Jeu de données sur lequel l’attention est comparée</translation>
    </message>
    <message>
        <source>&amp;Compute</source>
        <translation>&amp;Calculer</translation>
    </message>
    <message>
        <source>&amp;Gradients</source>
        <translation>&amp;Gradients</translation>
    </message>
    <message>
        <source>distance</source>
        <translation>distance</translation>
    </message>
    <message>
        <source>No model is open. Open a model folder to see which of its heads are alike.</source>
        <translation>Aucun modèle n’est ouvert. Ouvrir un dossier de modèle pour voir lesquelles de ses têtes se ressemblent.</translation>
    </message>
    <message>
        <source>No data set is open. Choose one, then press Compute.</source>
        <translation>Aucun jeu de données n’est ouvert. En choisir un, puis appuyer sur Calculer.</translation>
    </message>
    <message>
        <source>Computing: the attention of every two heads is compared token by token.</source>
        <translation>Calcul en cours&#xa0;: ce que regardent les têtes est comparé deux à deux, token par token.</translation>
    </message>
    <message>
        <source>Nothing has been compared yet. Press Compute: every two heads are compared by what they attend to, token by token, over the whole data set.</source>
        <translation>Rien n’a encore été comparé. Appuyer sur Calculer&#xa0;: les têtes sont comparées deux à deux selon ce qu’elles regardent, token par token, sur tout le jeu de données.</translation>
    </message>
    <message>
        <source>Computing: one backward pass over the data set.</source>
        <translation>Calcul en cours&#xa0;: une passe arrière sur le jeu de données.</translation>
    </message>
    <message>
        <source>Press Gradients to see what heads attend to beside how much the loss follows that attention. Labels, references or running text are needed.</source>
        <translation>Appuyer sur Gradients pour voir, à côté de ce que regardent les têtes, à quel point la perte dépend de cette attention. Des étiquettes, des références ou du texte courant sont nécessaires.</translation>
    </message>
    <message>
        <source>%1 heads on %2 tokens of %3 examples: near each other where they attend alike. Distance: %4. Stress of the map: %5.</source>
        <translation>%1 têtes sur %2 tokens de %3 exemples&#xa0;: proches quand leur attention se ressemble. Distance&#xa0;: %4. Stress de la carte&#xa0;: %5.</translation>
    </message>
    <message>
        <source>Roles are not computed: the page Roles does so.</source>
        <translation>Les rôles ne sont pas calculés&#xa0;: la page Rôles s’en charge.</translation>
    </message>
    <message>
        <source>&lt;b&gt;Map&lt;/b&gt;, %1</source>
        <translation>&lt;b&gt;Carte&lt;/b&gt;, %1</translation>
    </message>
    <message>
        <source>Press Compute to see how far the heads of a layer are from each other.</source>
        <translation>Appuyer sur Calculer pour voir la distance entre les têtes d’une couche.</translation>
    </message>
    <message>
        <source>Compares what heads attend to, on every data set; the page Analyses has options</source>
        <translation>Compare ce que regardent les têtes, sur chaque jeu de données&#xa0;; la page Analyses propose des options</translation>
    </message>
    <message>
        <source>How much the loss follows attention to special tokens, punctuation and words, on every data set</source>
        <translation>À quel point la perte dépend de l’attention aux tokens spéciaux, à la ponctuation et aux mots, sur chaque jeu de données</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source> %1 on %2. %3</source>
        <translation> %1 sur %2. %3</translation>
    </message>
    <message>
        <source>Map of heads, %1</source>
        <translation>Carte des têtes, %1</translation>
    </message>
    <message>
        <source>Distances of heads, %1</source>
        <translation>Distances entre têtes, %1</translation>
    </message>
    <message>
        <source>Spread of heads by layer, %1</source>
        <translation>Dispersion des têtes par couche, %1</translation>
    </message>
    <message>
        <source>How far the heads of a layer are from each other (bands: 95 % bootstrap intervals over examples):</source>
        <translation>Distance entre les têtes d’une couche (bandes&#xa0;: intervalles bootstrap à 95&#xa0;% sur les exemples)&#xa0;:</translation>
    </message>
    <message>
        <source>%1, %2, on %3 of %4 (%5 examples). Means over the heads of a layer.</source>
        <translation>%1, %2, sur %3 de %4 (%5 exemples). Moyennes sur les têtes d’une couche.</translation>
    </message>
    <message>
        <source>Attention by layer, %1</source>
        <translation>Attention par couche, %1</translation>
    </message>
    <message>
        <source>What the attention of a layer&apos;s heads goes to (Clark et al. 2019, Figure 2)</source>
        <translation>Où va l’attention des têtes d’une couche (Clark et al. 2019, figure 2)</translation>
    </message>
    <message>
        <source>Gradient by layer, %1</source>
        <translation>Gradient par couche, %1</translation>
    </message>
    <message>
        <source>Absolute derivative of the loss by one attention weight (its Figure 3)</source>
        <translation>Dérivée absolue de la perte par rapport à un poids d’attention (leur figure 3)</translation>
    </message>
    <message>
        <source>Select a head to see its nearest neighbours.</source>
        <translation>Sélectionnez une tête pour voir ses plus proches voisines.</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Nearest to %1: %2.</source>
        <translation>Les plus proches de %1 : %2.</translation>
    </message>
    <message>
        <source>⚠ The stress is high: distances on the map are rough. The matrix has the true ones.</source>
        <translation>⚠ Le stress est élevé : les distances sur la carte sont approximatives. La matrice donne les vraies.</translation>
    </message>
    <message>
        <source>Distances</source>
        <translation>Distances</translation>
    </message>
    <message>
        <source>Measures</source>
        <translation>Mesures</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Perte</translation>
    </message>
    <message>
        <source>How differently every two heads attend, in the order of their dendrogram</source>
        <translation>En quoi l’attention diffère entre deux têtes, dans l’ordre de leur dendrogramme</translation>
    </message>
    <message>
        <source>Any two measures of the heads against each other</source>
        <translation>Deux mesures au choix des têtes, l’une en fonction de l’autre</translation>
    </message>
    <message>
        <source>How far the heads of a layer are from each other</source>
        <translation>À quelle distance les têtes d’une couche sont les unes des autres</translation>
    </message>
    <message>
        <source>x:</source>
        <translation>x :</translation>
    </message>
    <message>
        <source>y:</source>
        <translation>y :</translation>
    </message>
    <message>
        <source>Measure across</source>
        <translation>Mesure en abscisse</translation>
    </message>
    <message>
        <source>Measure up</source>
        <translation>Mesure en ordonnée</translation>
    </message>
    <message>
        <source>Open a model to compare measures of its heads.</source>
        <translation>Ouvrez un modèle pour comparer des mesures de ses têtes.</translation>
    </message>
    <message>
        <source>No head has both measures.</source>
        <translation>Aucune tête n’a les deux mesures.</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 et %2</translation>
    </message>
    <message>
        <source>%1 against %2, a mark for every head of %3, on %4 (%5).</source>
        <translation>%1 en fonction de %2, une marque par tête de %3, sur %4 (%5).</translation>
    </message>
    <message>
        <source>Distances, measures and layers</source>
        <translation>Distances, mesures et couches</translation>
    </message>
    <message>
        <source>Distances of heads</source>
        <translation>Distances entre têtes</translation>
    </message>
    <message>
        <source>Heads of %1 by metric multidimensional scaling (Clark et al. 2019, Figure 6):</source>
        <translation>Têtes (%1) par positionnement multidimensionnel métrique (Clark et al. 2019, figure 6)&#xa0;:</translation>
    </message>
    <message>
        <source>Distances of heads of %1 in the order of their dendrogram:</source>
        <translation>Distances entre têtes (%1) dans l’ordre de leur dendrogramme&#xa0;:</translation>
    </message>
</context>
<context>
    <name>headscope::MapsView</name>
    <message>
        <source>Attention of all heads</source>
        <translation>Attention de toutes les têtes</translation>
    </message>
    <message>
        <source>Arrow keys move between heads, Enter enlarges.</source>
        <translation>Les flèches vont de tête en tête, Entrée agrandit.</translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <translation>%1 : %2 %3</translation>
    </message>
    <message>
        <source>%1, role %2</source>
        <translation>%1, rôle %2</translation>
    </message>
</context>
<context>
    <name>headscope::MatrixChart</name>
    <message>
        <source>%1 and %2: %3</source>
        <translation>%1 et %2&#xa0;: %3</translation>
    </message>
    <message numerus="yes">
        <source>%n heads; arrow keys move between pairs</source>
        <translation>
            <numerusform>%n tête&#xa0;; les flèches vont de paire en paire</numerusform>
            <numerusform>%n têtes&#xa0;; les flèches vont de paire en paire</numerusform>
        </translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>non mesuré</translation>
    </message>
</context>
<context>
    <name>headscope::MeasureScatter</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>, %1 %2</source>
        <translation>, %1 %2</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>couche %1</translation>
    </message>
</context>
<context>
    <name>headscope::MeasureScatterChart</name>
    <message>
        <source>Two measures of the heads</source>
        <translation>Deux mesures des têtes</translation>
    </message>
</context>
<context>
    <name>headscope::MeasureWords</name>
    <message>
        <source>leave one out, knock out, remove a head, score without a head, importance by removal, delta, BLEU without head, accuracy without head, significance, statistical test, p value</source>
        <translation>ablation, retirer une tête, score sans une tête, importance par retrait, delta, BLEU sans la tête, exactitude sans la tête, significativité, test statistique, valeur p</translation>
    </message>
    <message>
        <source>gradient, sensitivity, Michel, saliency, first order, I_h</source>
        <translation>gradient, sensibilité, Michel, saillance, premier ordre, I_h</translation>
    </message>
    <message>
        <source>largest weight, sharpness, maximum attention, Voita</source>
        <translation>plus grand poids, netteté, attention maximale, Voita</translation>
    </message>
    <message>
        <source>LRP, layer-wise relevance propagation, contribution, Voita</source>
        <translation>LRP, propagation de pertinence, contribution, Voita</translation>
    </message>
    <message>
        <source>dispersion, focus, spread, how sharp, Shannon</source>
        <translation>dispersion, concentration, étalement, netteté, Shannon</translation>
    </message>
    <message>
        <source>entropy of CLS, dispersion, Clark</source>
        <translation>entropie de CLS, dispersion, Clark</translation>
    </message>
    <message>
        <source>positional heads, previous word, offset, neighbour, local attention</source>
        <translation>têtes positionnelles, mot précédent, décalage, voisin, attention locale</translation>
    </message>
    <message>
        <source>positional heads, next word, offset, neighbour, local attention</source>
        <translation>têtes positionnelles, mot suivant, décalage, voisin, attention locale</translation>
    </message>
    <message>
        <source>diagonal, identity, current token</source>
        <translation>diagonale, identité, token courant</translation>
    </message>
    <message>
        <source>CLS, begin of sequence, attention sink</source>
        <translation>CLS, début de séquence, puits d’attention</translation>
    </message>
    <message>
        <source>SEP, separators, end of sentence, no-op</source>
        <translation>SEP, séparateurs, fin de phrase, sans effet</translation>
    </message>
    <message>
        <source>full stop, comma, period</source>
        <translation>point, virgule</translation>
    </message>
    <message>
        <source>game theory, coalition, fair share, marginal contribution</source>
        <translation>théorie des jeux, coalition, juste part, contribution marginale</translation>
    </message>
    <message>
        <source>L0, hard concrete, learned gates, facilitates, interferes</source>
        <translation>L0, hard concrete, portes apprises, facilite, gêne</translation>
    </message>
    <message>
        <source>streaming, sliding window, local attention, retrieval head, sink</source>
        <translation>streaming, fenêtre glissante, attention locale, tête de recherche, puits</translation>
    </message>
    <message>
        <source>causal tracing, activation patching, interchange intervention, causal mediation, circuit</source>
        <translation>traçage causal, activation patching, intervention d’échange, médiation causale, circuit</translation>
    </message>
    <message>
        <source>function vectors, in-context learning, few-shot, indirect effect, task vector</source>
        <translation>vecteurs de fonction, apprentissage en contexte, few-shot, effet indirect, vecteur de tâche</translation>
    </message>
    <message>
        <source>retrieval heads, needle in a haystack, long context, copying, answers</source>
        <translation>retrieval heads, needle in a haystack, têtes de récupération, aiguille dans une botte de foin, long contexte, copie, réponses</translation>
    </message>
    <message>
        <source>QRHead, query-focused retrieval heads, question, needle in a haystack</source>
        <translation>QRHead, query-focused retrieval heads, question, aiguille dans une botte de foin</translation>
    </message>
</context>
<context>
    <name>headscope::MixingChart</name>
    <message>
        <source>Use of shared columns by heads: %1, layer %2</source>
        <translation>Quelles têtes utilisent quelles colonnes partagées&#xa0;: %1, couche %2</translation>
    </message>
    <message numerus="yes">
        <source>%n column(s), ordered by the head that uses them most; dark: used most</source>
        <translation>
            <numerusform>%n colonne, à côté de celles de la tête qui l’utilise le plus&#xa0;; foncé&#xa0;: la plus utilisée</numerusform>
            <numerusform>%n colonnes, chacune à côté de celles de la tête qui l’utilise le plus&#xa0;; foncé&#xa0;: les plus utilisées</numerusform>
        </translation>
    </message>
    <message>
        <source>Mixing matrix</source>
        <translation>Matrice de mélange</translation>
    </message>
    <message>
        <source>%1, layer %2</source>
        <translation>%1, couche %2</translation>
    </message>
</context>
<context>
    <name>headscope::ModelExports</name>
    <message>
        <source>Write pruned model</source>
        <translation>Écrire le modèle élagué</translation>
    </message>
    <message>
        <source>Speed, %1</source>
        <translation>Vitesse, %1</translation>
    </message>
    <message>
        <source>Speed: %1</source>
        <translation>Vitesse&#xa0;: %1</translation>
    </message>
    <message>
        <source>Write shared model</source>
        <translation>Écrire le modèle partagé</translation>
    </message>
</context>
<context>
    <name>headscope::ModelName</name>
    <message>
        <source>%1, epoch %2</source>
        <translation>%1, époque %2</translation>
    </message>
</context>
<context>
    <name>headscope::ModelsModel</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>Pearson&apos;s r of the heads&apos; values here with those on %1</source>
        <translation>r de Pearson entre les valeurs des têtes ici et celles sur %1</translation>
    </message>
    <message>
        <source>Of all heads, how many are needed for 99 % of the score</source>
        <translation>Part des têtes nécessaires pour 99&#xa0;% du score</translation>
    </message>
    <message>
        <source>model</source>
        <translation>modèle</translation>
    </message>
    <message>
        <source>data</source>
        <translation>données</translation>
    </message>
    <message>
        <source>score</source>
        <translation>score</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>têtes</translation>
    </message>
    <message>
        <source>needed for 99 %</source>
        <translation>pour 99&#xa0;%</translation>
    </message>
    <message>
        <source>share</source>
        <translation>part</translation>
    </message>
    <message>
        <source>order</source>
        <translation>ordre</translation>
    </message>
    <message>
        <source>r</source>
        <translation>r</translation>
    </message>
    <message>
        <source>heads with a role</source>
        <translation>têtes avec un rôle</translation>
    </message>
    <message>
        <source>What is left when as many heads are gone as can go for less than 1 % of the score (at 95 % confidence), by the order %1</source>
        <translation>Ce qui reste quand sont parties autant de têtes qu’il peut en partir pour moins de 1&#xa0;% du score (confiance de 95&#xa0;%), dans l’ordre&#xa0;%1</translation>
    </message>
    <message>
        <source>Cannot be told with the examples of these curves, or they have no tests against the full model: compute them again</source>
        <translation>On ne peut pas le dire avec les exemples de ces courbes, ou elles n’ont pas de tests contre le modèle complet&#xa0;: recalculez-les</translation>
    </message>
</context>
<context>
    <name>headscope::ModelsPage</name>
    <message>
        <source>Folder with results</source>
        <translation>Dossier de résultats</translation>
    </message>
    <message>
        <source>&amp;Read</source>
        <translation>&amp;Lire</translation>
    </message>
    <message>
        <source>&lt;b&gt;Models beside each other&lt;/b&gt;</source>
        <translation>&lt;b&gt;Modèles côte à côte&lt;/b&gt;</translation>
    </message>
    <message>
        <source>the output of a plan, or any folder with results or studies</source>
        <translation>la sortie d’un plan, ou tout dossier de résultats ou d’études</translation>
    </message>
    <message>
        <source>Which model needs fewest heads? headscope-cli batch PLAN.json computes analyses of many models on many data sets. Choose its output folder here, or any folder with results and studies, and every model and data set becomes a line.</source>
        <translation>Quel modèle se contente du moins de têtes&#xa0;? headscope-cli batch PLAN.json calcule des analyses de nombreux modèles sur de nombreux jeux de données. Choisir ici son dossier de sortie, ou tout dossier de résultats et d’études&#xa0;: chaque modèle et jeu de données devient une ligne.</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modèles</translation>
    </message>
    <message>
        <source>M&amp;odels</source>
        <translation>&amp;Modèles</translation>
    </message>
    <message>
        <source>Read the results in %1</source>
        <translation>Lire les résultats de %1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln results. A head is needed if the score falls below 99 % without it and all that went before; r compares the heads with those on the model&apos;s first data set.</source>
        <translation>
            <numerusform>%Ln résultat. Une tête est nécessaire si le score descend sous 99&#xa0;% sans elle et toutes celles retirées avant&#xa0;; r compare les têtes avec celles sur le premier jeu de données du modèle.</numerusform>
            <numerusform>%Ln résultats. Une tête est nécessaire si le score descend sous 99&#xa0;% sans elle et toutes celles retirées avant&#xa0;; r compare les têtes avec celles sur le premier jeu de données du modèle.</numerusform>
        </translation>
    </message>
    <message>
        <source>There are no results in this folder.</source>
        <translation>Il n’y a pas de résultats dans ce dossier.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln files are results that this version does not know.</source>
        <translation>
            <numerusform>%Ln fichier est un résultat inconnu de cette version.</numerusform>
            <numerusform>%Ln fichiers sont des résultats inconnus de cette version.</numerusform>
        </translation>
    </message>
    <message>
        <source>Only the first %1 files were read.</source>
        <translation>Seuls les %1 premiers fichiers ont été lus.</translation>
    </message>
    <message>
        <source>Recent studies and demos</source>
        <translation>Études récentes et démonstrations</translation>
    </message>
    <message>
        <source>Demo: translation</source>
        <translation>Démonstration : traduction</translation>
    </message>
    <message>
        <source>Demo: classifier</source>
        <translation>Démonstration : classifieur</translation>
    </message>
    <message>
        <source>Demo: pronunciation</source>
        <translation>Démonstration : prononciation</translation>
    </message>
</context>
<context>
    <name>headscope::NeededBar</name>
    <message>
        <source>Heads it &amp;needs</source>
        <translation>Têtes &amp;nécessaires</translation>
    </message>
    <message>
        <source>for the last guess</source>
        <translation>pour la dernière prédiction</translation>
    </message>
    <message>
        <source>for all guesses</source>
        <translation>pour toutes les prédictions</translation>
    </message>
    <message>
        <source>Which of the model&apos;s guesses are to stay</source>
        <translation>Quelles prédictions du modèle doivent rester</translation>
    </message>
    <message>
        <source>The guess of the text&apos;s last token, or those of all its tokens</source>
        <translation>La prédiction du dernier token du texte, ou celles de tous ses tokens</translation>
    </message>
    <message>
        <source>Set of heads that is marked</source>
        <translation>Ensemble de têtes marqué</translation>
    </message>
    <message>
        <source>The set whose heads are marked among the thumbnails</source>
        <translation>L’ensemble dont les têtes sont marquées parmi les vignettes</translation>
    </message>
    <message>
        <source>Choose an example of the data set: of a text that is typed this is not computed.</source>
        <translation>Choisissez un exemple du jeu de données : cela n’est pas calculé pour un texte saisi.</translation>
    </message>
    <message>
        <source>Looks for the few heads with which alone the output of this example stays, and for the few without which it is another; masks are left out of account</source>
        <translation>Cherche les quelques têtes qui suffisent à conserver la sortie de cet exemple, et les quelques têtes sans lesquelles elle change ; les masques ne sont pas pris en compte</translation>
    </message>
    <message>
        <source>mark no heads</source>
        <translation>ne marquer aucune tête</translation>
    </message>
    <message numerus="yes">
        <source>%n of %1 heads keep %2</source>
        <translation>
            <numerusform>%n tête sur %1 conserve %2</numerusform>
            <numerusform>%n têtes sur %1 conservent %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>without %n of %1 heads: %2</source>
        <translation>
            <numerusform>sans %n tête sur %1 : %2</numerusform>
            <numerusform>sans %n têtes sur %1 : %2</numerusform>
        </translation>
    </message>
    <message>
        <source>The output stays without any of the heads: it comes from the rest of the model.</source>
        <translation>La sortie reste sans aucune des têtes : elle vient du reste du modèle.</translation>
    </message>
    <message>
        <source>No single head of the set can be left out; other sets may be smaller.</source>
        <translation>Aucune tête seule de l’ensemble ne peut être omise ; d’autres ensembles peuvent être plus petits.</translation>
    </message>
    <message>
        <source>No part of the set would do; other sets may be smaller.</source>
        <translation>Aucune partie de l’ensemble ne suffirait ; d’autres ensembles peuvent être plus petits.</translation>
    </message>
    <message>
        <source>No smaller set of heads would do.</source>
        <translation>Aucun ensemble de têtes plus petit ne suffirait.</translation>
    </message>
    <message>
        <source>Running the example without heads…</source>
        <translation>Exécution de l’exemple sans têtes…</translation>
    </message>
    <message>
        <source>No set of heads was found without which the output changes.</source>
        <translation>Aucun ensemble de têtes sans lequel la sortie change n’a été trouvé.</translation>
    </message>
</context>
<context>
    <name>headscope::NeuronFeed</name>
    <message>
        <source>Neurons of %1</source>
        <translation>Neurones de %1</translation>
    </message>
</context>
<context>
    <name>headscope::NeuronPicture</name>
    <message>
        <source>queries</source>
        <translation>requêtes</translation>
    </message>
    <message>
        <source>keys</source>
        <translation>clés</translation>
    </message>
    <message>
        <source>query q, keys k</source>
        <translation>requête q, clés k</translation>
    </message>
    <message>
        <source>q × k</source>
        <translation>q × k</translation>
    </message>
    <message>
        <source>logit</source>
        <translation>logit</translation>
    </message>
    <message>
        <source>softmax</source>
        <translation>softmax</translation>
    </message>
    <message>
        <source>may not be seen</source>
        <translation>ne peut pas être vu</translation>
    </message>
    <message>
        <source>%1 → %2: may not be seen</source>
        <translation>%1 → %2&#xa0;: ne peut pas être vu</translation>
    </message>
    <message>
        <source>%1 → %2: q·k %3 × %4 + %5 = %6, softmax %7</source>
        <translation>%1 → %2&#xa0;: q·k %3 × %4 + %5 = %6, softmax %7</translation>
    </message>
</context>
<context>
    <name>headscope::NeuronView</name>
    <message>
        <source>Neurons</source>
        <translation>Neurones</translation>
    </message>
    <message>
        <source>Query %1. Up and down choose another query, left and right move between keys.</source>
        <translation>Requête %1. Haut et bas choisissent une autre requête, gauche et droite vont de clé en clé.</translation>
    </message>
</context>
<context>
    <name>headscope::NumberText</name>
    <message>
        <source>%1 parameters</source>
        <translation>%1 paramètres</translation>
    </message>
    <message>
        <source>%1 million parameters</source>
        <translation>%1 millions de paramètres</translation>
    </message>
    <message>
        <source>lower is better</source>
        <translation>plus bas = meilleur</translation>
    </message>
    <message>
        <source>%1 points</source>
        <translation>points de %1</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>percentage points</source>
        <translation>points de pourcentage</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 sur %2</translation>
    </message>
</context>
<context>
    <name>headscope::OpenDataDialog</name>
    <message>
        <source>Choose data</source>
        <translation>Choisir les données</translation>
    </message>
    <message>
        <source>In-domain data</source>
        <translation>Données dans le domaine</translation>
    </message>
    <message>
        <source>Out-of-domain data</source>
        <translation>Données hors domaine</translation>
    </message>
    <message>
        <source>Leave this empty to keep the current data.</source>
        <translation>Laisser vide pour ne pas changer cet emplacement.</translation>
    </message>
    <message>
        <source>Use this data</source>
        <translation>Utiliser ces données</translation>
    </message>
</context>
<context>
    <name>headscope::OpenRemoteDialog</name>
    <message>
        <source>&amp;Connect</source>
        <translation>&amp;Se connecter</translation>
    </message>
    <message>
        <source>Open on another machine</source>
        <translation>Ouvrir sur une autre machine</translation>
    </message>
    <message>
        <source>The model, its data and the computation stay on that machine. Headscope must be installed there; it is reached through your own ssh.</source>
        <translation>Le modèle et ses données y restent, et le noyau de Headscope y calcule. Cette machine est jointe avec votre propre ssh, et Headscope doit y être installé.</translation>
    </message>
    <message>
        <source>&amp;Machine:</source>
        <translation>&amp;Machine&#xa0;:</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Machine</translation>
    </message>
    <message>
        <source>host, user@host, or a command</source>
        <translation>hôte, utilisateur@hôte, ou une commande</translation>
    </message>
    <message>
        <source>A host name for ssh, or a command that runs headscope-cli there, such as
ssh -p 2222 lab /opt/headscope/bin/headscope-cli
docker exec -i box headscope-cli</source>
        <translation>Un hôte tel que ssh le connaît. Ou une commande qui y lance headscope-cli, comme
ssh -p 2222 lab /opt/headscope/bin/headscope-cli
docker exec -i box headscope-cli</translation>
    </message>
    <message>
        <source>Connect to %1</source>
        <translation>Se connecter à %1</translation>
    </message>
    <message>
        <source>Connecting to %1…</source>
        <translation>Connexion à %1…</translation>
    </message>
    <message>
        <source>Choose the folder of a model:</source>
        <translation>Choisir le dossier d’un modèle&#xa0;:</translation>
    </message>
</context>
<context>
    <name>headscope::OutputFeed</name>
    <message>
        <source>Output without masks</source>
        <translation>Sortie sans masques</translation>
    </message>
</context>
<context>
    <name>headscope::PackDialog</name>
    <message>
        <source>Pack study</source>
        <translation>Empaqueter l’étude</translation>
    </message>
    <message>
        <source>Puts the study with its results and its data into one file, which opens on any machine with File &gt; Open study.</source>
        <translation>Met l’étude, avec ses résultats et ses données, dans un seul fichier, qui s’ouvre sur toute machine par Fichier &gt; Ouvrir une étude.</translation>
    </message>
    <message>
        <source>&amp;File:</source>
        <translation>&amp;Fichier :</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>Choose where to put the file</source>
        <translation>Choisir où mettre le fichier</translation>
    </message>
    <message>
        <source>Pack the &amp;model, too (%1)</source>
        <translation>Empaqueter aussi le &amp;modèle (%1)</translation>
    </message>
    <message>
        <source>Without it the results can be seen, and nothing new is computed where the model is not in the same folder as here.</source>
        <translation>Sans lui, les résultats restent visibles, mais rien de nouveau n’est calculé là où le modèle n’est pas dans le même dossier qu’ici.</translation>
    </message>
    <message>
        <source>&amp;Pack</source>
        <translation>&amp;Empaqueter</translation>
    </message>
    <message>
        <source>Enter a name for the file.</source>
        <translation>Saisir un nom pour le fichier.</translation>
    </message>
    <message>
        <source>There is a file with this name. Choose a new one.</source>
        <translation>Il y a déjà un fichier de ce nom. En choisir un autre.</translation>
    </message>
    <message>
        <source>There is no folder %1.</source>
        <translation>Il n’y a pas de dossier %1.</translation>
    </message>
    <message>
        <source>Packed studies (*.zip)</source>
        <translation>Études empaquetées (*.zip)</translation>
    </message>
</context>
<context>
    <name>headscope::Page</name>
    <message>
        <source>Cop&amp;y picture and table</source>
        <translation>Cop&amp;ier l’image et le tableau</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>&amp;Exporter…</translation>
    </message>
    <message>
        <source>Show the selected heads &amp;on</source>
        <translation>Afficher les têtes séle&amp;ctionnées sur</translation>
    </message>
    <message>
        <source>Zoom &amp;in (Ctrl and wheel)</source>
        <translation>A&amp;grandir (Ctrl et molette)</translation>
    </message>
    <message>
        <source>Zoom o&amp;ut</source>
        <translation>Réd&amp;uire</translation>
    </message>
    <message>
        <source>&amp;Fit (Ctrl+0)</source>
        <translation>A&amp;juster (Ctrl+0)</translation>
    </message>
</context>
<context>
    <name>headscope::PageParts</name>
    <message>
        <source>Measured in-domain</source>
        <translation>Mesuré dans le domaine</translation>
    </message>
    <message>
        <source>Measured out-of-domain</source>
        <translation>Mesuré hors domaine</translation>
    </message>
    <message>
        <source>Data set that scores are measured on</source>
        <translation>Jeu de données sur lequel les scores sont mesurés</translation>
    </message>
    <message>
        <source>The data set that the scores are of</source>
        <translation>Le jeu de données sur lequel portent les scores</translation>
    </message>
</context>
<context>
    <name>headscope::PageRow</name>
    <message>
        <source>%1 (Ctrl+%2)</source>
        <translation>%1 (Ctrl+%2)</translation>
    </message>
</context>
<context>
    <name>headscope::PageWords</name>
    <message>
        <source>Which matter</source>
        <translation>Lesquelles comptent</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Retirer</translation>
    </message>
    <message>
        <source>Understand</source>
        <translation>Comprendre</translation>
    </message>
    <message>
        <source>Train and compare</source>
        <translation>Entraîner, comparer</translation>
    </message>
    <message>
        <source>Which heads does the score need?</source>
        <translation>De quelles têtes le score a-t-il besoin ?</translation>
    </message>
    <message>
        <source>Is one head a layer enough?</source>
        <translation>Une tête par couche suffit-elle ?</translation>
    </message>
    <message>
        <source>Are the same heads needed on other data?</source>
        <translation>Les mêmes têtes sont-elles nécessaires sur d’autres données ?</translation>
    </message>
    <message>
        <source>How many heads can be removed before the score falls?</source>
        <translation>Combien de têtes peut-on retirer avant que le score ne baisse ?</translation>
    </message>
    <message>
        <source>Which heads are best removed together?</source>
        <translation>Quelles têtes vaut-il mieux retirer ensemble ?</translation>
    </message>
    <message>
        <source>Which heads could share their projections?</source>
        <translation>Quelles têtes pourraient partager leurs projections ?</translation>
    </message>
    <message>
        <source>What does a head attend to in a sentence?</source>
        <translation>À quoi une tête prête-t-elle attention dans une phrase ?</translation>
    </message>
    <message>
        <source>What does each head do?</source>
        <translation>Que fait chaque tête ?</translation>
    </message>
    <message>
        <source>Which heads are alike?</source>
        <translation>Quelles têtes se ressemblent ?</translation>
    </message>
    <message>
        <source>When in training do heads become important?</source>
        <translation>Quand les têtes deviennent-elles importantes pendant l’entraînement ?</translation>
    </message>
    <message>
        <source>How do several models differ?</source>
        <translation>En quoi plusieurs modèles diffèrent-ils ?</translation>
    </message>
    <message>
        <source>Train a model and watch its epochs</source>
        <translation>Entraîner un modèle et suivre ses époques</translation>
    </message>
    <message>
        <source>Every analysis with all its options, as a table</source>
        <translation>Chaque analyse avec toutes ses options, en tableau</translation>
    </message>
    <message>
        <source>Shows the score with a single head left in one layer after the other.</source>
        <translation>Montre le score avec une seule tête laissée dans une couche après l’autre.</translation>
    </message>
    <message>
        <source>Shows the score as heads are removed, the least needed ones first.</source>
        <translation>Montre le score à mesure que l’on retire des têtes, les moins nécessaires d’abord.</translation>
    </message>
    <message>
        <source>Shows the best heads to remove for every number of heads.</source>
        <translation>Montre les meilleures têtes à retirer pour chaque nombre de têtes.</translation>
    </message>
    <message>
        <source>Shows how the score falls as the heads of a layer share fewer dimensions.</source>
        <translation>Montre comment le score baisse quand les têtes d’une couche partagent moins de dimensions.</translation>
    </message>
    <message>
        <source>Shows what every head attends to: neighbours, syntactic relations, rare words, separators.</source>
        <translation>Montre à quoi chaque tête prête attention : voisins, relations syntaxiques, mots rares, séparateurs.</translation>
    </message>
    <message>
        <source>Shows heads that attend to the same things near each other.</source>
        <translation>Montre proches l’une de l’autre les têtes qui prêtent attention aux mêmes choses.</translation>
    </message>
    <message>
        <source>Which heads carry the answer from the text to the output?</source>
        <translation>Quelles têtes portent la réponse du texte à la sortie&#xa0;?</translation>
    </message>
    <message>
        <source>Shows how much of the answer a head brings from one text into another.</source>
        <translation>Montre quelle part de la réponse une tête apporte d’un texte à l’autre.</translation>
    </message>
    <message>
        <source>Which heads stand in for each other?</source>
        <translation>Quelles têtes se remplacent l’une l’autre&#xa0;?</translation>
    </message>
    <message>
        <source>Shows pairs of heads that cost more, or less, together than each by itself.</source>
        <translation>Montre les paires de têtes qui coûtent plus, ou moins, ensemble que chacune seule.</translation>
    </message>
    <message>
        <source>grid, heat map of heads, ablation, important heads, table, histogram, significance, statistical test, leave one out</source>
        <translation>grille, carte de chaleur des têtes, ablation, têtes importantes, table, histogramme, significativité, test statistique</translation>
    </message>
    <message>
        <source>all but one, one head per layer, redundant layers</source>
        <translation>toutes sauf une, une tête par couche, couches redondantes</translation>
    </message>
    <message>
        <source>compare domains, compare data sets, transfer, generalisation, out-of-domain, scatter, correlation</source>
        <translation>comparer les domaines, comparer les jeux de données, transfert, généralisation, hors domaine, nuage de points, corrélation</translation>
    </message>
    <message>
        <source>remove heads, compress, curve, smaller model, BLEU without heads, accuracy without heads, how many heads</source>
        <translation>retirer des têtes, compresser, courbe, modèle plus petit, BLEU sans têtes, exactitude sans têtes, combien de têtes</translation>
    </message>
    <message>
        <source>best subset, combination, greedy, annealing, mask</source>
        <translation>meilleur sous-ensemble, combinaison, glouton, recuit, masque</translation>
    </message>
    <message>
        <source>collaborative attention, low rank, decomposition, redundancy, compress</source>
        <translation>attention collaborative, rang faible, décomposition, redondance, compresser</translation>
    </message>
    <message>
        <source>heat map, weights, matrix, alignment, lines, head view, model view, neuron view, sentence, rollout</source>
        <translation>carte de chaleur, poids, matrice, alignement, lignes, vue des têtes, vue du modèle, vue des neurones, phrase, rollout</translation>
    </message>
    <message>
        <source>positional heads, syntactic heads, rare words, function of a head, detectors, induction, what a head does, probe</source>
        <translation>têtes positionnelles, têtes syntaxiques, mots rares, fonction d’une tête, détecteurs, induction, ce que fait une tête, sonde</translation>
    </message>
    <message>
        <source>similar heads, clusters, distance, dendrogram, t-SNE, correlation of measures</source>
        <translation>têtes semblables, groupes, distance, dendrogramme, t-SNE, corrélation des mesures</translation>
    </message>
    <message>
        <source>interactions, redundancy, synergy, back-up heads, two heads at once</source>
        <translation>interactions, redondance, synergie, têtes de secours, deux têtes à la fois</translation>
    </message>
    <message>
        <source>causal tracing, activation patching, circuit, mediation, minimal pairs</source>
        <translation>traçage causal, activation patching, circuit, médiation, paires minimales</translation>
    </message>
    <message>
        <source>checkpoints, epochs, training curve, when heads matter</source>
        <translation>points de contrôle, époques, courbe d’apprentissage, quand les têtes comptent</translation>
    </message>
    <message>
        <source>compare models, compare studies, batch, leaderboard</source>
        <translation>comparer des modèles, comparer des études, lot, classement</translation>
    </message>
    <message>
        <source>fine-tune, gates, learn, epochs, L0</source>
        <translation>affiner, portes, apprendre, époques, L0</translation>
    </message>
    <message>
        <source>options, command line, every analysis, statistical test, McNemar</source>
        <translation>options, ligne de commande, toutes les analyses, test statistique, McNemar</translation>
    </message>
    <message>
        <source>What do the weights of heads say by themselves, without data?</source>
        <translation>Que disent les poids des têtes par eux-mêmes, sans données&#xa0;?</translation>
    </message>
    <message>
        <source>OV, QK, circuits, eigenvalues, singular values, copying, composition, tokens, projection kernel</source>
        <translation>OV, QK, circuits, valeurs propres, valeurs singulières, copie, composition, tokens, noyau de projection</translation>
    </message>
</context>
<context>
    <name>headscope::PairChart</name>
    <message>
        <source>clean</source>
        <translation>propre</translation>
    </message>
    <message>
        <source>corrupt</source>
        <translation>altéré</translation>
    </message>
    <message>
        <source>Clean and corrupt text</source>
        <translation>Texte propre et texte altéré</translation>
    </message>
    <message>
        <source>Clean: %1. Corrupt: %2.</source>
        <translation>Propre&#xa0;: %1. Altéré&#xa0;: %2.</translation>
    </message>
</context>
<context>
    <name>headscope::PairsModel</name>
    <message>
        <source>stand in for each other</source>
        <translation>se remplacent l’une l’autre</translation>
    </message>
    <message>
        <source>need each other</source>
        <translation>ont besoin l’une de l’autre</translation>
    </message>
    <message>
        <source>may be chance</source>
        <translation>peut être dû au hasard</translation>
    </message>
    <message>
        <source>Without both: %1 %2. Without each by itself: %3 in sum. The difference is their interaction.</source>
        <translation>Sans les deux&#xa0;: %1 %2. Sans chacune seule&#xa0;: %3 en tout. La différence est leur interaction.</translation>
    </message>
    <message>
        <source>Without all three: %1 %2. Their interaction is what no two of them account for.</source>
        <translation>Sans les trois&#xa0;: %1 %2. Leur interaction est ce qu’aucune paire d’entre elles n’explique.</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Têtes</translation>
    </message>
    <message>
        <source>Interaction</source>
        <translation>Interaction</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>Intervalle à 95&#xa0;%</translation>
    </message>
    <message>
        <source>Δ together</source>
        <translation>Δ ensemble</translation>
    </message>
    <message>
        <source>Δ alone, in sum</source>
        <translation>Δ seules, en somme</translation>
    </message>
    <message>
        <source>BH</source>
        <translation>BH</translation>
    </message>
    <message>
        <source>They</source>
        <translation>Elles</translation>
    </message>
    <message>
        <source>Δ %1 without all of them minus what is known of fewer: of two heads, the Δ of each</source>
        <translation>Δ %1 sans toutes, moins ce qui est connu pour moins de têtes&#xa0;: pour deux têtes, le Δ de chacune</translation>
    </message>
    <message>
        <source>Paired bootstrap over examples</source>
        <translation>Bootstrap apparié sur les exemples</translation>
    </message>
    <message>
        <source>Δ %1 without all of them</source>
        <translation>Δ %1 sans toutes</translation>
    </message>
    <message>
        <source>Δ %1 without each by itself, added up: what single ablation says</source>
        <translation>Δ %1 sans chacune seule, additionnés&#xa0;: ce que dit l’ablation tête par tête</translation>
    </message>
    <message>
        <source>Adjusted for the number of pairs, or of triples (Benjamini–Hochberg)</source>
        <translation>Ajusté au nombre de paires, ou de triplets (Benjamini–Hochberg)</translation>
    </message>
</context>
<context>
    <name>headscope::PairsPage</name>
    <message>
        <source>&amp;Pairs of heads now</source>
        <translation>Paires &amp;de têtes maintenant</translation>
    </message>
    <message>
        <source>Pa&amp;irs</source>
        <translation>Pa&amp;ires</translation>
    </message>
    <message>
        <source>&amp;Compute</source>
        <translation>&amp;Calculer</translation>
    </message>
    <message>
        <source>Which pairs are measured</source>
        <translation>Paires qui sont mesurées</translation>
    </message>
    <message>
        <source>the %1 likeliest pairs</source>
        <translation>les %1 paires les plus probables</translation>
    </message>
    <message>
        <source>all pairs</source>
        <translation>toutes les paires</translation>
    </message>
    <message>
        <source>pairs of the selected heads</source>
        <translation>les paires des têtes choisies</translation>
    </message>
    <message>
        <source>pairs and triples of the selected heads</source>
        <translation>les paires et triplets des têtes choisies</translation>
    </message>
    <message>
        <source>Which result is shown</source>
        <translation>Résultat montré</translation>
    </message>
    <message>
        <source>Interactions of heads</source>
        <translation>Interactions de têtes</translation>
    </message>
    <message>
        <source>Which rows are listed</source>
        <translation>Lignes de la liste</translation>
    </message>
    <message>
        <source>All that were measured</source>
        <translation>Toutes celles qui sont mesurées</translation>
    </message>
    <message>
        <source>Significant ones</source>
        <translation>Les significatives</translation>
    </message>
    <message>
        <source>Those with a selected head</source>
        <translation>Celles d’une tête choisie</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>Matrice</translation>
    </message>
    <message>
        <source>List</source>
        <translation>Liste</translation>
    </message>
    <message>
        <source>Interactions of all pairs measured: heads that stand in for each other lie together</source>
        <translation>Interactions de toutes les paires mesurées&#xa0;: les têtes qui se remplacent sont voisines</translation>
    </message>
    <message>
        <source>Every pair with its interval</source>
        <translation>Chaque paire avec son intervalle</translation>
    </message>
    <message>
        <source>Matrix and list</source>
        <translation>Matrice et liste</translation>
    </message>
    <message>
        <source>%1: %2 of %3 pairs</source>
        <translation>%1&#xa0;: %2 paires sur %3</translation>
    </message>
    <message>
        <source>%1: %2 pairs, %3 triples</source>
        <translation>%1&#xa0;: %2 paires, %3 triplets</translation>
    </message>
    <message>
        <source>Δ without a head</source>
        <translation>Δ sans une tête</translation>
    </message>
    <message>
        <source>Δ %1 without a head</source>
        <translation>Δ %1 sans une tête</translation>
    </message>
    <message>
        <source>Δ %1</source>
        <translation>Δ %1</translation>
    </message>
    <message>
        <source>interaction (Δ %1)</source>
        <translation>interaction (Δ %1)</translation>
    </message>
    <message>
        <source>%1 of %2 pairs measured on %3 examples: %4 stand in for each other, %5 need each other (%6).</source>
        <translation>%1 paires sur %2 mesurées sur %3 exemples&#xa0;: dans %4, les têtes se remplacent, dans %5, elles ont besoin l’une de l’autre (%6).</translation>
    </message>
    <message>
        <source>The grid has lines for the %1 largest.</source>
        <translation>La grille a des lignes pour les %1 plus grandes.</translation>
    </message>
    <message>
        <source>No data set is open. Choose one, then press Compute.</source>
        <translation>Aucun jeu de données n’est ouvert. En choisir un, puis appuyer sur Calculer.</translation>
    </message>
    <message>
        <source>Scores need data with references or labels.</source>
        <translation>Les scores nécessitent des données avec références ou étiquettes.</translation>
    </message>
    <message>
        <source>Select two heads or more in the grid: Ctrl adds one.</source>
        <translation>Choisir deux têtes ou plus dans la grille&#xa0;: Ctrl en ajoute une.</translation>
    </message>
    <message>
        <source>Select 3 to %1 heads in the grid: Ctrl adds one.</source>
        <translation>Choisir de 3 à %1 têtes dans la grille&#xa0;: Ctrl en ajoute une.</translation>
    </message>
    <message>
        <source>No model is open. Open one to see which of its heads stand in for each other.</source>
        <translation>Aucun modèle n’est ouvert. En ouvrir un pour voir quelles têtes se remplacent.</translation>
    </message>
    <message>
        <source>Computing: the score without each head, and without both heads of each pair.</source>
        <translation>Calcul en cours&#xa0;: le score sans chaque tête, et sans les deux têtes de chaque paire.</translation>
    </message>
    <message>
        <source>Nothing has been measured yet. Press Compute: pairs of heads are removed together, and compared with what each costs by itself.</source>
        <translation>Rien n’a encore été mesuré. Appuyer sur Calculer&#xa0;: des paires de têtes sont ôtées ensemble, et comparées à ce que coûte chacune seule.</translation>
    </message>
    <message>
        <source>&lt;b&gt;Which heads stand in for each other&lt;/b&gt;, %1</source>
        <translation>&lt;b&gt;Quelles têtes se remplacent&lt;/b&gt;, %1</translation>
    </message>
    <message>
        <source>Removes pairs of heads, and compares with removing each</source>
        <translation>Ôte des paires de têtes, et compare à l’ablation de chacune</translation>
    </message>
    <message>
        <source>Pairs of heads, %1</source>
        <translation>Paires de têtes, %1</translation>
    </message>
    <message>
        <source>Interactions of heads, %1</source>
        <translation>Interactions de têtes, %1</translation>
    </message>
    <message>
        <source>Interactions of %1 on %2, in the order of a clustering by them. %3</source>
        <translation>Interactions de %1 sur %2, dans l’ordre d’une classification par elles. %3</translation>
    </message>
    <message>
        <source>Likely pairs are found by gradients, which cost one backward pass: those that should cost more, or less, together than each by itself</source>
        <translation>Les paires probables sont trouvées par les gradients, au prix d’une passe arrière&#xa0;: celles qui devraient coûter plus, ou moins, ensemble que chacune seule</translation>
    </message>
    <message>
        <source>The mean interaction is %1 %2: removing heads one by one understates what they do.</source>
        <translation>L’interaction moyenne est de %1 %2&#xa0;: l’ablation tête par tête sous-estime ce qu’elles font.</translation>
    </message>
    <message>
        <source>The mean interaction is %1 %2: removing heads one by one overstates what they do.</source>
        <translation>L’interaction moyenne est de %1 %2&#xa0;: l’ablation tête par tête surestime ce qu’elles font.</translation>
    </message>
    <message>
        <source>The mean interaction is %1 %2, which may be zero.</source>
        <translation>L’interaction moyenne est de %1 %2, ce qui peut être zéro.</translation>
    </message>
    <message>
        <source>The mean interaction is %1 %2. It says nothing of single ablation: not all pairs were measured, or too few examples.</source>
        <translation>L’interaction moyenne est de&#xa0;%1&#xa0;%2. Elle ne dit rien de l’ablation simple&#xa0;: toutes les paires n’ont pas été mesurées, ou il y a trop peu d’exemples.</translation>
    </message>
</context>
<context>
    <name>headscope::ParallelFields</name>
    <message>
        <source>%1: source file</source>
        <translation>%1&#xa0;: fichier source</translation>
    </message>
    <message>
        <source>%1: reference file</source>
        <translation>%1&#xa0;: fichier de référence</translation>
    </message>
    <message>
        <source>line n translates line n</source>
        <translation>la ligne n traduit la ligne n</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Source</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Référence</translation>
    </message>
    <message>
        <source>as the language needs</source>
        <translation>selon la langue</translation>
    </message>
    <message>
        <source>%1: how BLEU cuts texts into words</source>
        <translation>%1 : comment BLEU découpe les textes en mots</translation>
    </message>
    <message>
        <source>Tokenizers of sacreBLEU; of a model that translates. zh is for Chinese, char for languages without blanks between words, flores200: takes the path of FLORES-200&apos;s SentencePiece model</source>
        <translation>Découpages de sacreBLEU, pour un modèle qui traduit. zh est pour le chinois, char pour les langues sans espaces entre les mots, flores200: prend le chemin du modèle SentencePiece de FLORES-200</translation>
    </message>
    <message>
        <source>BLEU&apos;s words</source>
        <translation>Mots de BLEU</translation>
    </message>
</context>
<context>
    <name>headscope::PatchingPage</name>
    <message>
        <source>Pa&amp;tching</source>
        <translation>Pa&amp;tching</translation>
    </message>
    <message>
        <source>&amp;Compute</source>
        <translation>&amp;Calculer</translation>
    </message>
    <message>
        <source>Logit difference</source>
        <translation>Différence de logits</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Probabilité</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Perte</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>Exactitude</translation>
    </message>
    <message>
        <source>What is measured of the answer</source>
        <translation>Ce qui est mesuré de la réponse</translation>
    </message>
    <message>
        <source>Clean into corrupt</source>
        <translation>Du propre vers l’altéré</translation>
    </message>
    <message>
        <source>Corrupt into clean</source>
        <translation>De l’altéré vers le propre</translation>
    </message>
    <message>
        <source>Direction of patching</source>
        <translation>Sens du patching</translation>
    </message>
    <message>
        <source>Clean into corrupt: is the head enough to restore the answer? Corrupt into clean: is it needed?</source>
        <translation>Du propre vers l’altéré&#xa0;: la tête suffit-elle à rétablir la réponse&#xa0;? De l’altéré vers le propre&#xa0;: est-elle nécessaire&#xa0;?</translation>
    </message>
    <message>
        <source>Pair of texts</source>
        <translation>Paire de textes</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Effect of patching</source>
        <translation>Effet du patching</translation>
    </message>
    <message>
        <source>effect</source>
        <translation>effet</translation>
    </message>
    <message>
        <source>effect not defined</source>
        <translation>effet non défini</translation>
    </message>
    <message>
        <source>effect %1</source>
        <translation>effet %1</translation>
    </message>
    <message>
        <source>%1, %2 pairs, attribution %3</source>
        <translation>%1, %2 paires, attribution %3</translation>
    </message>
    <message>
        <source>select a head</source>
        <translation>choisissez une tête</translation>
    </message>
    <message>
        <source>Position %1</source>
        <translation>Position %1</translation>
    </message>
    <message>
        <source>Position %1: %2</source>
        <translation>Position %1&#xa0;: %2</translation>
    </message>
    <message>
        <source>&lt;b&gt;Which heads carry the answer&lt;/b&gt;, %1</source>
        <translation>&lt;b&gt;Quelles têtes portent la réponse&lt;/b&gt;, %1</translation>
    </message>
    <message>
        <source>Clean texts score %1, corrupt ones %2 (%3 pairs).</source>
        <translation>Les textes propres obtiennent %1, les altérés %2 (%3 paires).</translation>
    </message>
    <message>
        <source>Gradients (attribution) agree with patching: r = %1 over %2 cells.</source>
        <translation>Accord des gradients (attribution) avec le patching&#xa0;: r = %1 sur %2 cellules.</translation>
    </message>
    <message>
        <source>The grid shows heads at position %1; click it again for all positions together.</source>
        <translation>La grille montre les têtes à la position %1&#xa0;; cliquez de nouveau dessus pour toutes les positions ensemble.</translation>
    </message>
    <message>
        <source>Click a head for its positions, a token for its heads.</source>
        <translation>Cliquez sur une tête pour ses positions, sur un token pour ses têtes.</translation>
    </message>
    <message>
        <source>No data set is open. Choose one, then press Compute.</source>
        <translation>Aucun jeu de données n’est ouvert. En choisir un, puis appuyer sur Calculer.</translation>
    </message>
    <message>
        <source>No model is open. Open one to see which heads carry an answer.</source>
        <translation>Aucun modèle n’est ouvert. Ouvrez-en un pour voir quelles têtes portent une réponse.</translation>
    </message>
    <message>
        <source>Computing: every head is patched at every position of the pairs.</source>
        <translation>Calcul en cours&#xa0;: chaque tête est remplacée à chaque position des paires.</translation>
    </message>
    <message>
        <source>Open a table with the columns clean, corrupt, answer and wrong_answer, then press Compute.</source>
        <translation>Ouvrez une table avec les colonnes clean, corrupt, answer et wrong_answer, puis Calculer.</translation>
    </message>
    <message>
        <source>Patches every head, everywhere and at every position</source>
        <translation>Remplace chaque tête, partout et à chaque position</translation>
    </message>
    <message>
        <source>Effects by position, %1</source>
        <translation>Effets par position, %1</translation>
    </message>
    <message>
        <source>Effect</source>
        <translation>Effet</translation>
    </message>
    <message>
        <source>Attribution</source>
        <translation>Attribution</translation>
    </message>
    <message>
        <source>Direct contribution</source>
        <translation>Contribution directe</translation>
    </message>
    <message>
        <source>What the grid shows</source>
        <translation>Ce que montre la grille</translation>
    </message>
    <message>
        <source>Attribution by gradients</source>
        <translation>Attribution par les gradients</translation>
    </message>
    <message>
        <source>Direct contribution to the logits</source>
        <translation>Contribution directe aux logits</translation>
    </message>
    <message>
        <source>attribution</source>
        <translation>attribution</translation>
    </message>
    <message>
        <source>direct</source>
        <translation>directe</translation>
    </message>
    <message>
        <source>What takes over</source>
        <translation>Ce qui prend le relais</translation>
    </message>
    <message>
        <source>Effect: the share of the difference between the texts that patching a head brings over. Attribution: what gradients estimate the change to be. Direct contribution: what a head adds to the difference of the logits by itself, clean minus corrupt. What takes over: how these contributions change without the selected head</source>
        <translation>Effet : la part de la différence entre les textes que le remplacement d’une tête rétablit. Attribution : ce que les gradients estiment du changement. Contribution directe : ce qu’une tête ajoute par elle-même à la différence des logits, texte correct moins texte corrompu. Ce qui prend le relais : comment ces contributions changent sans la tête sélectionnée</translation>
    </message>
    <message>
        <source>Change without a head</source>
        <translation>Changement sans une tête</translation>
    </message>
    <message>
        <source>&lt;b&gt;What takes over when a head is removed&lt;/b&gt;, %1</source>
        <translation>&lt;b&gt;Ce qui prend le relais quand une tête est retirée&lt;/b&gt;, %1</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Contexte</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>Requête</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Clé</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Valeur</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>Motif d’attention</translation>
    </message>
    <message>
        <source>Part of a head that is patched</source>
        <translation>Partie de la tête qui est remplacée</translation>
    </message>
    <message>
        <source>Context: all that a head makes of the text. Query, key, value: what it makes that of, each by itself; keys and values that heads share are patched for all heads of the group. Pattern: the attention weights, with the values of the base text</source>
        <translation>Contexte : tout ce qu’une tête fait du texte. Requête, clé, valeur : ce dont elle le fait, chacune à part ; les clés et valeurs que des têtes partagent sont remplacées pour toutes les têtes du groupe. Motif d’attention : les poids d’attention, avec les valeurs du texte de base</translation>
    </message>
    <message>
        <source>Patched: %1.</source>
        <translation>Remplacé : %1.</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Têtes</translation>
    </message>
    <message>
        <source>Paths</source>
        <translation>Chemins</translation>
    </message>
    <message>
        <source>What every head carries of the answer, by whatever way</source>
        <translation>Ce que chaque tête transmet de la réponse, par tous ses chemins</translation>
    </message>
    <message>
        <source>The direct ways from head to head: by queries, keys and values, and to the output</source>
        <translation>Les chemins directs de tête à tête : par les requêtes, les clés et les valeurs, et vers la sortie</translation>
    </message>
    <message>
        <source>Heads, or paths between them</source>
        <translation>Têtes, ou chemins entre elles</translation>
    </message>
    <message>
        <source>&lt;b&gt;Along which ways heads carry the answer&lt;/b&gt;, %1</source>
        <translation>&lt;b&gt;Par quels chemins les têtes transmettent la réponse&lt;/b&gt;, %1</translation>
    </message>
    <message>
        <source>Computing: the direct paths between all heads.</source>
        <translation>Calcul en cours : les chemins directs entre toutes les têtes.</translation>
    </message>
    <message>
        <source>Patches along every direct path from head to head</source>
        <translation>Remplace le long de chaque chemin direct de tête à tête</translation>
    </message>
    <message>
        <source>Nothing has been computed yet. Press Compute.</source>
        <translation>Rien n’a encore été calculé. Appuyez sur Calculer.</translation>
    </message>
</context>
<context>
    <name>headscope::PathSeries</name>
    <message>
        <source>query</source>
        <translation>requête</translation>
    </message>
    <message>
        <source>key</source>
        <translation>clé</translation>
    </message>
    <message>
        <source>value</source>
        <translation>valeur</translation>
    </message>
    <message>
        <source>query, key and value</source>
        <translation>requête, clé et valeur</translation>
    </message>
    <message>
        <source>logits</source>
        <translation>logits</translation>
    </message>
    <message>
        <source>output</source>
        <translation>sortie</translation>
    </message>
    <message>
        <source>Direct path to the output</source>
        <translation>Chemin direct vers la sortie</translation>
    </message>
    <message>
        <source>effect</source>
        <translation>effet</translation>
    </message>
    <message>
        <source>brings over what the other text says</source>
        <translation>transmet ce que dit l’autre texte</translation>
    </message>
    <message>
        <source>works against it</source>
        <translation>va à son encontre</translation>
    </message>
    <message>
        <source>effect of the path from the earlier head to the %1 of the later one</source>
        <translation>effet du chemin de la première tête vers cette entrée de la suivante : %1</translation>
    </message>
</context>
<context>
    <name>headscope::PathsModel</name>
    <message>
        <source>Computed by runs of every pair</source>
        <translation>Calculé par des passes de chaque paire</translation>
    </message>
    <message>
        <source>Only estimated by gradients</source>
        <translation>Seulement estimé par gradients</translation>
    </message>
    <message>
        <source>From</source>
        <translation>De</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Vers</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Entrée</translation>
    </message>
    <message>
        <source>Effect</source>
        <translation>Effet</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>Intervalle à 95&#xa0;%</translation>
    </message>
    <message>
        <source>Δ</source>
        <translation>Δ</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>Estimation</translation>
    </message>
    <message>
        <source>BH</source>
        <translation>BH</translation>
    </message>
    <message>
        <source>The head whose changed output goes along the path</source>
        <translation>La tête dont la sortie changée suit le chemin</translation>
    </message>
    <message>
        <source>The head that reads it, heads that share what reads it, or the output</source>
        <translation>La tête qui la lit, les têtes qui partagent ce qui la lit, ou la sortie</translation>
    </message>
    <message>
        <source>What of the receiver the change reaches</source>
        <translation>Ce que le changement atteint de la tête réceptrice</translation>
    </message>
    <message>
        <source>The share of the difference between the texts that the path brings over</source>
        <translation>La part de la différence entre les textes que le chemin transmet</translation>
    </message>
    <message>
        <source>Of the effect: bootstrap over pairs of texts</source>
        <translation>De l’effet : bootstrap sur les paires de textes</translation>
    </message>
    <message>
        <source>Change of what is measured of the answer</source>
        <translation>Changement de ce qui est mesuré de la réponse</translation>
    </message>
    <message>
        <source>What gradients estimate Δ to be (edge attribution)</source>
        <translation>Ce que les gradients estiment de Δ (attribution des arêtes)</translation>
    </message>
    <message>
        <source>Adjusted for the number of paths (Benjamini–Hochberg)</source>
        <translation>Ajusté au nombre de chemins (Benjamini–Hochberg)</translation>
    </message>
</context>
<context>
    <name>headscope::PathsView</name>
    <message>
        <source>Paths between heads</source>
        <translation>Chemins entre têtes</translation>
    </message>
    <message>
        <source>List</source>
        <translation>Liste</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>Matrice</translation>
    </message>
    <message>
        <source>Every path with its interval</source>
        <translation>Chaque chemin avec son intervalle</translation>
    </message>
    <message>
        <source>All paths to one input, for each pair of heads: from the earlier one to the later one</source>
        <translation>Tous les chemins vers une entrée, pour chaque paire de têtes : de la première à la suivante</translation>
    </message>
    <message>
        <source>How paths are computed</source>
        <translation>Calcul des chemins</translation>
    </message>
    <message>
        <source>All paths exactly</source>
        <translation>Tous les chemins, exactement</translation>
    </message>
    <message>
        <source>Estimates, the %1 strongest exactly</source>
        <translation>Estimations, les %1 plus forts exactement</translation>
    </message>
    <message>
        <source>Exactly: by runs of the pairs for every path. Estimates by gradients are cheap and can miss a path, where attention is saturated</source>
        <translation>Exactement : par des passes des paires pour chaque chemin. Les estimations par gradients coûtent peu et peuvent manquer un chemin, là où l’attention est saturée</translation>
    </message>
    <message>
        <source>Input of the receiver</source>
        <translation>Entrée de la tête réceptrice</translation>
    </message>
    <message>
        <source>Q, K and V</source>
        <translation>Q, K et V</translation>
    </message>
    <message>
        <source>What of the receiving head a path changes. The matrix shows one of them</source>
        <translation>Ce qu’un chemin change de la tête réceptrice. La matrice en montre une entrée</translation>
    </message>
    <message>
        <source>Which paths are shown</source>
        <translation>Chemins montrés</translation>
    </message>
    <message>
        <source>Significant paths</source>
        <translation>Chemins significatifs</translation>
    </message>
    <message>
        <source>All paths</source>
        <translation>Tous les chemins</translation>
    </message>
    <message>
        <source>Paths of the selected heads</source>
        <translation>Chemins des têtes sélectionnées</translation>
    </message>
    <message>
        <source>How many arrows</source>
        <translation>Nombre de flèches</translation>
    </message>
    <message>
        <source>Ar&amp;rows:</source>
        <translation>F&amp;lèches :</translation>
    </message>
    <message>
        <source>Direct path to the output</source>
        <translation>Chemin direct vers la sortie</translation>
    </message>
    <message>
        <source>effect</source>
        <translation>effet</translation>
    </message>
    <message>
        <source>No head is selected whose paths could be shown. Click one in the grid.</source>
        <translation>Aucune tête n’est sélectionnée dont les chemins pourraient être montrés. Cliquez sur l’une d’elles dans la grille.</translation>
    </message>
    <message>
        <source>No such path is significant. “All paths” shows the strongest ones.</source>
        <translation>Aucun chemin de ce genre n’est significatif. « Tous les chemins » montre les plus forts.</translation>
    </message>
    <message>
        <source>%1 of %2 paths are significant, %3 of them between heads (%4; %5 pairs).</source>
        <translation>%1 chemins sur %2 sont significatifs, dont %3 entre têtes (%4 ; %5 paires).</translation>
    </message>
    <message>
        <source>Estimates agree with %1 exact effects: r = %2.</source>
        <translation>Les estimations s’accordent avec %1 effets exacts : r = %2.</translation>
    </message>
    <message>
        <source>Paths between heads, %1</source>
        <translation>Chemins entre têtes, %1</translation>
    </message>
    <message>
        <source>Matrix of paths, %1</source>
        <translation>Matrice des chemins, %1</translation>
    </message>
    <message>
        <source>Paths between heads of %1 on %2: %3. %4</source>
        <translation>Chemins entre têtes de %1 sur %2 : %3. %4</translation>
    </message>
</context>
<context>
    <name>headscope::PlaceSearch</name>
    <message>
        <source>any token</source>
        <translation>tout jeton</translation>
    </message>
    <message>
        <source>a token or word</source>
        <translation>un jeton ou un mot</translation>
    </message>
    <message>
        <source>a part of speech</source>
        <translation>une catégorie grammaticale</translation>
    </message>
    <message>
        <source>an offset</source>
        <translation>un décalage</translation>
    </message>
    <message>
        <source>What the head attends to</source>
        <translation>Ce à quoi la tête prête attention</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>&amp;Chercher</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Poids</translation>
    </message>
    <message>
        <source>From → to</source>
        <translation>De → vers</translation>
    </message>
    <message>
        <source>Sentence</source>
        <translation>Phrase</translation>
    </message>
    <message>
        <source>Sentences found</source>
        <translation>Phrases trouvées</translation>
    </message>
    <message>
        <source>dog</source>
        <translation>chien</translation>
    </message>
    <message>
        <source>The token or word</source>
        <translation>Le jeton ou le mot</translation>
    </message>
    <message>
        <source>The part of speech, as the trees call it</source>
        <translation>La catégorie grammaticale, telle que les arbres la nomment</translation>
    </message>
    <message>
        <source>How many tokens after the one that attends</source>
        <translation>De combien de jetons après celui qui porte l’attention</translation>
    </message>
    <message>
        <source>As it is spelt; special tokens too, such as [SEP] or &lt;/s&gt;</source>
        <translation>Tel qu’il s’écrit ; jetons spéciaux aussi, comme [SEP] ou &lt;/s&gt;</translation>
    </message>
    <message>
        <source>As the trees call it: NOUN, VERB, ADJ, PRON, …; needs a data set with trees</source>
        <translation>Telle que les arbres la nomment : NOUN, VERB, ADJ, PRON, … ; il faut un jeu de données avec des arbres</translation>
    </message>
    <message>
        <source>−1: the token before the one that attends, 1: the one after it. Of cross-attention it is counted from the diagonal</source>
        <translation>−1 : le jeton avant celui qui porte l’attention, 1 : celui d’après. Pour l’attention croisée, on compte à partir de la diagonale</translation>
    </message>
    <message>
        <source>Select a head to search for what it attends to.</source>
        <translation>Choisissez une tête pour chercher ce à quoi elle prête attention.</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Arrêter</translation>
    </message>
    <message>
        <source>Keeps what has been found so far</source>
        <translation>Garde ce qui a été trouvé jusqu’ici</translation>
    </message>
    <message>
        <source>Goes through the attention of the whole data set, in the background</source>
        <translation>Parcourt l’attention de tout le jeu de données, en arrière-plan</translation>
    </message>
    <message>
        <source>Say what to look for.</source>
        <translation>Dites ce qu’il faut chercher.</translation>
    </message>
    <message>
        <source>An offset is a whole number, such as -1.</source>
        <translation>Un décalage est un nombre entier, comme -1.</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Recherche en cours…</translation>
    </message>
    <message>
        <source>Search of %1</source>
        <translation>Recherche de %1</translation>
    </message>
    <message>
        <source>Stopped. %1</source>
        <translation>Arrêté. %1</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Arrêté.</translation>
    </message>
    <message>
        <source>%1 of %2 examples have such a place; the weight of their best one is %3 on average.</source>
        <translation>%1 exemples sur %2 ont un tel endroit ; le poids du meilleur est de %3 en moyenne.</translation>
    </message>
    <message>
        <source>Places of %1</source>
        <translation>Endroits de %1</translation>
    </message>
    <message>
        <source>Where %1 attends to (%2) in %3, by %4. %5</source>
        <translation>Où %1 prête attention (%2) dans %3, selon %4. %5</translation>
    </message>
    <message>
        <source>Find the sentences (%1) in which %2 attends most to</source>
        <translation>Chercher les phrases (%1) où %2 prête le plus d’attention à</translation>
    </message>
</context>
<context>
    <name>headscope::PruningChart</name>
    <message>
        <source>Importance</source>
        <translation>Importance</translation>
    </message>
    <message>
        <source>Ablation</source>
        <translation>Ablation</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Aléatoire</translation>
    </message>
    <message>
        <source>Greedy</source>
        <translation>Glouton</translation>
    </message>
    <message>
        <source>out-of-domain</source>
        <translation>hors domaine</translation>
    </message>
    <message>
        <source>in-domain</source>
        <translation>dans le domaine</translation>
    </message>
    <message>
        <source>%1 (range of %2 orders), %3</source>
        <translation>%1 (%2 ordres), %3</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>heads removed, and their share of the candidates</source>
        <translation>têtes retirées, et leur part</translation>
    </message>
    <message>
        <source>○ first significant loss</source>
        <translation>○ première perte significative</translation>
    </message>
    <message>
        <source>◇ knee</source>
        <translation>◇ coude</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Pruning curves</source>
        <translation>Courbes d’élagage</translation>
    </message>
    <message>
        <source>%1 %2: %3</source>
        <translation>%1 %2&#xa0;: %3</translation>
    </message>
    <message>
        <source>%1 is removed as number %2</source>
        <translation>%1 part en position %2</translation>
    </message>
    <message>
        <source>%1 removed</source>
        <translation>%1 retirées</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source> (between measured points)</source>
        <translation> (entre des points mesurés)</translation>
    </message>
    <message>
        <source>Shapley values</source>
        <translation>Valeurs de Shapley</translation>
    </message>
    <message>
        <source>Relevance</source>
        <translation>Pertinence</translation>
    </message>
    <message>
        <source>Gates</source>
        <translation>Portes</translation>
    </message>
    <message>
        <source>Mask search</source>
        <translation>Recherche de masques</translation>
    </message>
    <message>
        <source>□ accepted loss</source>
        <translation>□ perte acceptée</translation>
    </message>
</context>
<context>
    <name>headscope::PruningPage</name>
    <message>
        <source>&amp;Pruning</source>
        <translation>É&amp;lagage</translation>
    </message>
    <message>
        <source>Heads removed</source>
        <translation>Têtes retirées</translation>
    </message>
    <message>
        <source>&amp;Compute curves</source>
        <translation>&amp;Calculer les courbes</translation>
    </message>
    <message>
        <source>Save &amp;pruned model…</source>
        <translation>Enregistrer le modèle éla&amp;gué…</translation>
    </message>
    <message>
        <source>&amp;Roles of the remaining heads</source>
        <translation>&amp;Rôles des têtes restantes</translation>
    </message>
    <message>
        <source>Which roles remain along the curve of the chosen order</source>
        <translation>Quels rôles subsistent le long de la courbe de l’ordre choisi</translation>
    </message>
    <message>
        <source>Measures the curve of these settings on every data set</source>
        <translation>Mesure la courbe de ces réglages sur chaque jeu de données</translation>
    </message>
    <message>
        <source>The slider needs a single order, but each kind has its own here.</source>
        <translation>Le curseur suit un seul ordre&#xa0;; ici, chaque type a le sien.</translation>
    </message>
    <message>
        <source>The slider needs an order: wait for the scores that define it, or choose another order.</source>
        <translation>Le curseur a besoin d’un ordre&#xa0;: attendre les scores dont il dépend, ou en choisir un autre.</translation>
    </message>
    <message>
        <source>Mask at least one head first</source>
        <translation>Masquer d’abord au moins une tête</translation>
    </message>
    <message>
        <source>Writes a copy of the model without the masked heads</source>
        <translation>Écrit une copie du modèle sans les têtes masquées</translation>
    </message>
    <message>
        <source>No model is open. Open a model folder to prune its heads.</source>
        <translation>Aucun modèle n’est ouvert. Ouvrir un dossier de modèle pour élaguer ses têtes.</translation>
    </message>
    <message>
        <source>No data set is open. Choose one, then press Compute curves.</source>
        <translation>Aucun jeu de données n’est ouvert. En choisir un, puis appuyer sur Calculer les courbes.</translation>
    </message>
    <message>
        <source>No curve has been computed with these heads. Press Compute curves, or restore the boxes.</source>
        <translation>Aucune courbe n’a été calculée avec ces têtes. Appuyer sur Calculer les courbes, ou remettre les cases comme avant.</translation>
    </message>
    <message>
        <source>No curve has been computed yet. Press Compute curves: its points appear as they are measured.</source>
        <translation>Aucune courbe n’a encore été calculée. Appuyer sur Calculer les courbes&#xa0;: les points s’affichent à mesure qu’ils sont mesurés.</translation>
    </message>
    <message>
        <source>%1 of %2 curves are outdated: do not compare them with the others.</source>
        <translation>Courbes périmées&#xa0;: %1 sur %2. Ne pas les comparer avec les autres.</translation>
    </message>
    <message>
        <source>out-of-domain</source>
        <translation>hors domaine</translation>
    </message>
    <message>
        <source>in-domain</source>
        <translation>dans le domaine</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; %2</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; %2</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1 of %2 heads removed&lt;/b&gt; (%3 %)</source>
        <translation>&lt;b&gt;%1 têtes retirées sur %2&lt;/b&gt; (%3&#xa0;%)</translation>
    </message>
    <message>
        <source>Read %1</source>
        <translation>Lire %1</translation>
    </message>
    <message>
        <source>Writing the model without its masked heads to %1 …</source>
        <translation>Écriture du modèle sans ses têtes masquées dans %1 …</translation>
    </message>
    <message>
        <source>Written to %1: a copy in full shape whose masked heads are set to zero, and heads.json, which lists them.</source>
        <translation>Écrit dans %1&#xa0;: une copie de forme complète dont les têtes masquées ne donnent rien, et heads.json, qui les nomme.</translation>
    </message>
    <message>
        <source>Written to %1: the smaller model, and heads.json, which lists the removed heads and the programs that can open the model.</source>
        <translation>Écrit dans %1&#xa0;: le modèle réduit, et heads.json, qui nomme les têtes supprimées et dit avec quoi l’ouvrir.</translation>
    </message>
    <message>
        <source>Pruning curves, %1</source>
        <translation>Courbes d’élagage, %1</translation>
    </message>
    <message>
        <source> and </source>
        <translation> et </translation>
    </message>
    <message>
        <source>Roles of the remaining heads, %1</source>
        <translation>Rôles des têtes restantes, %1</translation>
    </message>
    <message>
        <source> Below: remaining heads with a role, along the curve of the order %1.</source>
        <translation> En dessous&#xa0;: têtes restantes ayant un rôle, le long de la courbe de l’ordre %1.</translation>
    </message>
    <message>
        <source>re-estimated</source>
        <translation>réestimé</translation>
    </message>
    <message>
        <source>most needed first</source>
        <translation>les plus utiles d’abord</translation>
    </message>
    <message>
        <source>%1 of %2 examples</source>
        <translation>%1 exemples sur %2</translation>
    </message>
    <message>
        <source>order from %1</source>
        <translation>ordre&#xa0;: %1</translation>
    </message>
    <message>
        <source>%1 (%2, %3)</source>
        <translation>%1 (%2, %3)</translation>
    </message>
    <message>
        <source>examples: %1</source>
        <translation>exemples&#xa0;: %1</translation>
    </message>
    <message>
        <source>S&amp;horter…</source>
        <translation>Plus cou&amp;rt…</translation>
    </message>
    <message>
        <source>Curves and settings</source>
        <translation>Courbes et réglages</translation>
    </message>
    <message>
        <source> · masked by hand: not on the curve</source>
        <translation> · masquées à la main&#xa0;: hors de la courbe</translation>
    </message>
    <message>
        <source>Metric of the curves</source>
        <translation>Métrique des courbes</translation>
    </message>
    <message>
        <source>Metric of the curves: all of them come from the same outputs of the model. Orders and the slider go by the one of the study</source>
        <translation>Métrique des courbes&#xa0;: toutes viennent des mêmes sorties du modèle. Les ordres et le curseur suivent celle de l’étude</translation>
    </message>
    <message>
        <source>rescaled</source>
        <translation>remises à l’échelle</translation>
    </message>
    <message>
        <source> %</source>
        <translation>&#xa0;%</translation>
    </message>
    <message>
        <source>Accepted loss, in % of the full model&apos;s score</source>
        <translation>Perte acceptée, en&#xa0;% du score du modèle complet</translation>
    </message>
    <message>
        <source>How many heads can go? Up to so many that the loss stays below this share of the full model&apos;s score, at 95 % confidence: the dotted line</source>
        <translation>Combien de têtes peuvent partir&#xa0;? Autant que la perte reste inférieure à cette part du score du modèle complet, avec une confiance de 95&#xa0;%&#xa0;: la ligne pointillée</translation>
    </message>
    <message>
        <source>Accepted loss:</source>
        <translation>Perte acceptée&#xa0;:</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;:&#xa0;%2</translation>
    </message>
    <message>
        <source>Heads that can go: </source>
        <translation>Têtes qui peuvent partir&#xa0;: </translation>
    </message>
    <message>
        <source>%1 against the number of attention heads removed, on %2. Bands of lines: 95 % bootstrap intervals; grey band: lowest and highest of the random orders. Rings: first significant loss (paired bootstrap). Squares: last point up to which the loss is below %3 of the full model&apos;s score at 95 % confidence (dotted line).</source>
        <translation>%1 en fonction du nombre de têtes d’attention retirées, sur&#xa0;%2. Bandes des courbes&#xa0;: intervalles à 95&#xa0;% par rééchantillonnage&#xa0;; bande grise&#xa0;: minimum et maximum des ordres aléatoires. Anneaux&#xa0;: première perte significative (rééchantillonnage apparié). Carrés&#xa0;: dernier point jusqu’auquel la perte est inférieure à&#xa0;%3 du score du modèle complet, avec une confiance de 95&#xa0;% (ligne pointillée).</translation>
    </message>
</context>
<context>
    <name>headscope::PruningSettings</name>
    <message>
        <source>Re-estimate after each step</source>
        <translation>Réestimer après chaque pas</translation>
    </message>
    <message>
        <source>Most needed first</source>
        <translation>Les plus utiles d’abord</translation>
    </message>
    <message>
        <source>Each kind by itself</source>
        <translation>Chaque type à part</translation>
    </message>
    <message>
        <source>Importance, least first</source>
        <translation>Importance croissante</translation>
    </message>
    <message>
        <source>Ablation, least loss first</source>
        <translation>Ablation, perte croissante</translation>
    </message>
    <message>
        <source>Random orders</source>
        <translation>Ordres aléatoires</translation>
    </message>
    <message>
        <source>Greedy, exact losses</source>
        <translation>Glouton, pertes exactes</translation>
    </message>
    <message>
        <source>From a file…</source>
        <translation>D’un fichier…</translation>
    </message>
    <message>
        <source>The order in which heads are removed</source>
        <translation>L’ordre dans lequel les têtes sont retirées</translation>
    </message>
    <message>
        <source>Every round measures the loss of every head that is left, and removes the one whose loss is least: the most careful order, and by far the slowest</source>
        <translation>Chaque tour mesure la perte de chaque tête restante, et retire celle dont la perte est la plus faible&#xa0;: l’ordre le plus soigneux, et de loin le plus lent</translation>
    </message>
    <message>
        <source>Reverses the order: how fast the score drops when the most needed heads are removed first</source>
        <translation>L’ordre inverse&#xa0;: à quelle vitesse le score se dégrade quand on retire les mauvaises têtes</translation>
    </message>
    <message>
        <source>One curve for each kind of attention, with only its heads removed: shows which kind is needed least</source>
        <translation>Une courbe par type d’attention, dont seules les têtes sont retirées&#xa0;: de quel type on peut se passer</translation>
    </message>
    <message>
        <source> a layer</source>
        <translation> par couche</translation>
    </message>
    <message>
        <source>This many heads stay in every layer</source>
        <translation>Ce nombre de têtes reste dans chaque couche</translation>
    </message>
    <message>
        <source>10 % of them</source>
        <translation>10&#xa0;% d’entre elles</translation>
    </message>
    <message>
        <source> heads</source>
        <translation> têtes</translation>
    </message>
    <message>
        <source>Heads removed between two measured points of a curve</source>
        <translation>Têtes retirées entre deux points mesurés d’une courbe</translation>
    </message>
    <message>
        <source>Importance is estimated again before every step, without the heads removed so far</source>
        <translation>L’importance est réestimée avant chaque pas, sans les têtes déjà retirées</translation>
    </message>
    <message>
        <source>Candidates for removal</source>
        <translation>Têtes pouvant être retirées</translation>
    </message>
    <message>
        <source>Keep at &amp;least</source>
        <translation>Garder au &amp;moins</translation>
    </message>
    <message>
        <source>&amp;Order</source>
        <translation>&amp;Ordre</translation>
    </message>
    <message>
        <source>&amp;Step</source>
        <translation>&amp;Pas</translation>
    </message>
    <message>
        <source>Order of heads, one a line</source>
        <translation>Ordre des têtes, une par ligne</translation>
    </message>
    <message>
        <source>File %1</source>
        <translation>Fichier %1</translation>
    </message>
    <message>
        <source>Choose at least one kind of attention whose heads may be removed.</source>
        <translation>Choisir au moins un type d’attention dont les têtes peuvent être retirées.</translation>
    </message>
    <message>
        <source>in-domain data</source>
        <translation>données dans le domaine</translation>
    </message>
    <message>
        <source>out-of-domain data</source>
        <translation>données hors domaine</translation>
    </message>
    <message>
        <source>each set its own</source>
        <translation>chaque jeu le sien</translation>
    </message>
    <message>
        <source>each from the other set</source>
        <translation>chacun de l’autre jeu</translation>
    </message>
    <message>
        <source>The data set by which the order is chosen. By one set: both curves lose the same heads, as the slider does. Each set its own flatters the curves.</source>
        <translation>Le jeu de données qui décide de l’ordre. Par un seul jeu&#xa0;: les deux courbes perdent les mêmes têtes, comme le curseur. Chaque jeu le sien flatte les courbes.</translation>
    </message>
    <message>
        <source>Order &amp;from</source>
        <translation>Ordre se&amp;lon</translation>
    </message>
    <message>
        <source>Shapley values, least first</source>
        <translation>Valeurs de Shapley, les plus petites d’abord</translation>
    </message>
    <message>
        <source>Relevance, least first</source>
        <translation>Pertinence, la plus faible d’abord</translation>
    </message>
    <message>
        <source>Gates, interfering first</source>
        <translation>Portes, les têtes gênantes d’abord</translation>
    </message>
</context>
<context>
    <name>headscope::RankedTokensModel</name>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>Token %1: %2 more than the mean over all tokens</source>
        <translation>Token %1&#xa0;: %2 de plus que la moyenne de tous les tokens</translation>
    </message>
</context>
<context>
    <name>headscope::ReadOnlyGrid</name>
    <message>
        <source>Nothing to show yet.</source>
        <translation>Rien à afficher pour l’instant.</translation>
    </message>
    <message>
        <source>No head is masked.</source>
        <translation>Aucune tête n’est masquée.</translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <translation>%1&#xa0;: %2 %3</translation>
    </message>
    <message>
        <source>%1: removed, %2 %3</source>
        <translation>%1&#xa0;: retirée, %2 %3</translation>
    </message>
    <message>
        <source>%1: stays, %2 %3</source>
        <translation>%1&#xa0;: reste, %2 %3</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
</context>
<context>
    <name>headscope::RecoverMenu</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Was never saved</source>
        <translation>Jamais enregistrée</translation>
    </message>
    <message>
        <source>Not saved in %1</source>
        <translation>Non enregistrée dans %1</translation>
    </message>
    <message>
        <source>Everything is saved</source>
        <translation>Tout est enregistré</translation>
    </message>
    <message>
        <source>Delete all of these</source>
        <translation>Supprimer toutes ces études</translation>
    </message>
</context>
<context>
    <name>headscope::RelationSeries</name>
    <message>
        <source>%1 → head</source>
        <translation>%1 → tête</translation>
    </message>
    <message>
        <source>head → %1</source>
        <translation>tête → %1</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>têtes</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2&#xa0;: %3</translation>
    </message>
    <message>
        <source>words from the dependent to its head</source>
        <translation>mots du dépendant à sa tête</translation>
    </message>
    <message>
        <source>dependents (%)</source>
        <translation>dépendants (%)</translation>
    </message>
    <message>
        <source>best head</source>
        <translation>meilleure tête</translation>
    </message>
    <message>
        <source>best head of %1</source>
        <translation>meilleure tête de %1</translation>
    </message>
    <message>
        <source>best fixed offset</source>
        <translation>meilleur décalage fixe</translation>
    </message>
    <message>
        <source>best fixed offset, %1</source>
        <translation>meilleur décalage fixe, %1</translation>
    </message>
    <message>
        <source>%1, always %2 words away: %3</source>
        <translation>%1, toujours à %2 mots&#xa0;: %3</translation>
    </message>
    <message>
        <source>partners found (%)</source>
        <translation>partenaires trouvés (%)</translation>
    </message>
    <message>
        <source>position in the target</source>
        <translation>position dans la cible</translation>
    </message>
    <message>
        <source>source</source>
        <translation>source</translation>
    </message>
    <message>
        <source>prefix</source>
        <translation>préfixe</translation>
    </message>
    <message>
        <source>share of relevance (%)</source>
        <translation>part de la pertinence (%)</translation>
    </message>
    <message>
        <source>over the source</source>
        <translation>sur la source</translation>
    </message>
    <message>
        <source>over the prefix</source>
        <translation>sur le préfixe</translation>
    </message>
    <message>
        <source>entropy (nats)</source>
        <translation>entropie (nats)</translation>
    </message>
    <message>
        <source>relation (x →: from the dependent to its head, → x: the other way)</source>
        <translation>relation (x →&#xa0;: du dépendant à sa tête, → x&#xa0;: l’inverse)</translation>
    </message>
</context>
<context>
    <name>headscope::RelationsTable</name>
    <message>
        <source>Best head of every dependency relation</source>
        <translation>Meilleure tête pour chaque relation de dépendance</translation>
    </message>
    <message>
        <source>Relation</source>
        <translation>Relation</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>Direction</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Mots</translation>
    </message>
    <message>
        <source>Best head</source>
        <translation>Meilleure tête</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>Exactitude</translation>
    </message>
    <message>
        <source>Best offset</source>
        <translation>Meilleur décalage</translation>
    </message>
    <message>
        <source>Gain</source>
        <translation>Gain</translation>
    </message>
    <message>
        <source>Accuracy of always pointing this many words away: the best of all fixed offsets</source>
        <translation>Exactitude en pointant toujours à cette distance en mots&#xa0;: le meilleur de tous les décalages fixes</translation>
    </message>
    <message>
        <source>Points of the best head over the best offset</source>
        <translation>Points de la meilleure tête au-dessus du meilleur décalage</translation>
    </message>
    <message>
        <source>to head</source>
        <translation>vers le gouverneur</translation>
    </message>
    <message>
        <source>to dependent</source>
        <translation>vers le dépendant</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>headscope::RemoteFileDialog</name>
    <message>
        <source>Choose a file on %1</source>
        <translation>Choisir un fichier sur %1</translation>
    </message>
</context>
<context>
    <name>headscope::RemoteFolderView</name>
    <message>
        <source>The folder above</source>
        <translation>Le dossier parent</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Dossier</translation>
    </message>
    <message>
        <source>Folders and files</source>
        <translation>Dossiers et fichiers</translation>
    </message>
    <message>
        <source>Read the folder %1</source>
        <translation>Lire le dossier %1</translation>
    </message>
    <message>
        <source>A model</source>
        <translation>Un modèle</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 octets</translation>
    </message>
    <message>
        <source>Only the first %1 are shown. Type the rest of the path above.</source>
        <translation>Seuls les %1 premiers sont affichés. Saisir la suite du chemin ci-dessus.</translation>
    </message>
</context>
<context>
    <name>headscope::RemovableHeads</name>
    <message>
        <source>%1 %</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>a band of several orders has no answer</source>
        <translation>une bande de plusieurs ordres n’a pas de réponse</translation>
    </message>
    <message>
        <source>nothing was removed</source>
        <translation>rien n’a été retiré</translation>
    </message>
    <message>
        <source>has to be computed again: there are no tests against the full model</source>
        <translation>à recalculer&#xa0;: il n’y a pas de tests contre le modèle complet</translation>
    </message>
    <message>
        <source>cannot be told with %1 of %2 examples</source>
        <translation>ne peut pas se dire avec&#xa0;%1 exemples sur&#xa0;%2</translation>
    </message>
    <message numerus="yes">
        <source>cannot be told with %Ln examples</source>
        <translation>
            <numerusform>ne peut pas se dire avec&#xa0;%Ln exemple</numerusform>
            <numerusform>ne peut pas se dire avec&#xa0;%Ln exemples</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>up to %Ln heads for less than %1</source>
        <translation>
            <numerusform>jusqu’à&#xa0;%Ln tête pour moins de&#xa0;%1</numerusform>
            <numerusform>jusqu’à&#xa0;%Ln têtes pour moins de&#xa0;%1</numerusform>
        </translation>
    </message>
    <message>
        <source>for less than %1: cannot be told with %2 examples</source>
        <translation>pour moins de&#xa0;%1&#xa0;: ne peut pas se dire avec&#xa0;%2 exemples</translation>
    </message>
    <message numerus="yes">
        <source>first significant loss at %Ln heads</source>
        <translation>
            <numerusform>première perte significative à&#xa0;%Ln tête</numerusform>
            <numerusform>première perte significative à&#xa0;%Ln têtes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>no significant loss up to %Ln heads</source>
        <translation>
            <numerusform>pas de perte significative jusqu’à&#xa0;%Ln tête</numerusform>
            <numerusform>pas de perte significative jusqu’à&#xa0;%Ln têtes</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1,&#xa0;%2</translation>
    </message>
</context>
<context>
    <name>headscope::Report</name>
    <message>
        <source>%1 (out-of-domain)</source>
        <translation>%1 (hors domaine)</translation>
    </message>
    <message>
        <source>%1 (in-domain)</source>
        <translation>%1 (dans le domaine)</translation>
    </message>
    <message>
        <source>The value of each head on %1</source>
        <translation>Ce que vaut chaque tête sur %1</translation>
    </message>
    <message>
        <source>How heads are distributed by the score without them (Figure 1), %1</source>
        <translation>Distribution des têtes selon le score sans elles (figure 1), %1</translation>
    </message>
    <message>
        <source>%1 heads, removed one at a time; %2 examples.</source>
        <translation>%1 têtes, retirées une à une&#xa0;; %2 exemples.</translation>
    </message>
    <message>
        <source>Ablation Δ %1</source>
        <translation>Δ d’ablation %1</translation>
    </message>
    <message>
        <source>Heads on both data sets (Figure 2)</source>
        <translation>Têtes sur les deux jeux de données (figure 2)</translation>
    </message>
    <message>
        <source>The loss without each head, on %1 and on %2.</source>
        <translation>Ce qui est perdu sans chaque tête, sur %1 et sur %2.</translation>
    </message>
    <message>
        <source>the same set, which flatters them</source>
        <translation>le même jeu, ce qui les flatte</translation>
    </message>
    <message>
        <source>Score while heads are removed (Figure 3), %1</source>
        <translation>Score à mesure que des têtes sont retirées (figure 3), %1</translation>
    </message>
    <message>
        <source>Score while heads of one kind are removed (Figure 4), %1</source>
        <translation>Score à mesure que des têtes d’un type sont retirées (figure 4), %1</translation>
    </message>
    <message>
        <source>Speed with heads masked and removed (Table 4)</source>
        <translation>Vitesse avec têtes masquées et retirées (tableau 4)</translation>
    </message>
    <message>
        <source>Medians and quartiles of %1 repeats; %2 of %3 heads; %4, %5 threads.</source>
        <translation>Médianes et quartiles de %1 répétitions&#xa0;; %2 têtes sur %3&#xa0;; %4, %5 threads.</translation>
    </message>
    <message>
        <source>Write report</source>
        <translation>Écrire le rapport</translation>
    </message>
    <message>
        <source>In percent of each checkpoint&apos;s full model, by its own importance; %1 examples of %2.</source>
        <translation>En pourcentage du modèle complet de chaque checkpoint, selon sa propre importance ; %1 exemples de %2.</translation>
    </message>
    <message>
        <source>What removed heads cost over training (Figure 5, left)</source>
        <translation>Ce que coûtent les têtes retirées au fil de l’entraînement (figure 5, à gauche)</translation>
    </message>
    <message>
        <source>Score while heads of a checkpoint are removed (Figure 5, right)</source>
        <translation>Score quand on retire des têtes d’un checkpoint (figure 5, à droite)</translation>
    </message>
    <message>
        <source>%1 examples.</source>
        <translation>%1 exemples.</translation>
    </message>
    <message>
        <source>Entropy of attention (Clark et al., Figure 4), %1, %2</source>
        <translation>Entropie de l’attention (Clark et al., figure 4), %1, %2</translation>
    </message>
    <message>
        <source>What heads attend to (Clark et al., Figure 2), %1, %2</source>
        <translation>Ce que les têtes regardent (Clark et al., figure 2), %1, %2</translation>
    </message>
    <message>
        <source>%1: a point per head, lines through the means of layers; %2</source>
        <translation>%1&#xa0;: un point par tête, des lignes par les moyennes des couches&#xa0;; %2</translation>
    </message>
    <message>
        <source>How much the loss follows attention (Clark et al., Figure 3), %1, %2</source>
        <translation>À quel point la perte dépend de l’attention (Clark et al., figure 3), %1, %2</translation>
    </message>
    <message>
        <source>Absolute derivative of the loss by one attention weight, by kind of key, mean over the heads of a layer; %1</source>
        <translation>Valeur absolue de la dérivée de la perte par un poids d’attention, par sorte de clé, moyenne sur les têtes d’une couche&#xa0;; %1</translation>
    </message>
    <message>
        <source>Where heads of words lie (Voita et al., Figure 3), %1</source>
        <translation>Où se trouvent les têtes des mots (Voita et al., figure 3), %1</translation>
    </message>
    <message>
        <source>Words from dependents to their heads, by relation; %1 trees.</source>
        <translation>Mots des dépendants à leurs têtes, par relation&#xa0;; %1 arbres.</translation>
    </message>
    <message>
        <source>Which heads find partners (Voita et al., Figure 4), %1</source>
        <translation>Quelles têtes trouvent les partenaires (Voita et al., figure 4), %1</translation>
    </message>
    <message>
        <source>Share of the words whose partner has the largest weight, beside the best fixed offset; %1 trees.</source>
        <translation>Part des mots dont le partenaire a le plus grand poids, à côté du meilleur décalage fixe&#xa0;; %1 arbres.</translation>
    </message>
    <message>
        <source>What source and prefix contribute (Voita et al. 2021), %1</source>
        <translation>Ce qu’apportent la source et le préfixe (Voita et al. 2021), %1</translation>
    </message>
    <message>
        <source>How contributions are spread over tokens (Voita et al. 2021), %1</source>
        <translation>Comment les contributions se répartissent sur les tokens (Voita et al. 2021), %1</translation>
    </message>
    <message>
        <source>Energy of query and key projections (Cordonnier et al., Figure 1)</source>
        <translation>Énergie des projections de requêtes et de clés (Cordonnier et al., figure 1)</translation>
    </message>
    <message>
        <source>A thin line for each head and each attention; their means, and random numbers in the same shapes.</source>
        <translation>Une ligne fine par tête et par attention&#xa0;; leurs moyennes, et des nombres aléatoires de mêmes formes.</translation>
    </message>
    <message>
        <source>All of it: %1</source>
        <translation>Tout&#xa0;: %1</translation>
    </message>
    <message>
        <source>Without random orders and speed: %1</source>
        <translation>Sans ordres aléatoires ni vitesse&#xa0;: %1</translation>
    </message>
    <message>
        <source>order from the same set</source>
        <translation>ordre du même jeu</translation>
    </message>
    <message>
        <source>order from %1</source>
        <translation>ordre&#xa0;:&#xa0;%1</translation>
    </message>
    <message>
        <source>Bands are 95 % intervals, of random orders lowest and highest; %1 examples. Orders were chosen on %2. Rings: first significant loss (paired); squares: last point up to which the loss is below %3 of the score at 95 % confidence.</source>
        <translation>Les bandes sont des intervalles à 95&#xa0;%, pour les ordres aléatoires le minimum et le maximum&#xa0;;&#xa0;%1 exemples. Ordres choisis sur&#xa0;%2. Anneaux&#xa0;: première perte significative (appariée)&#xa0;; carrés&#xa0;: dernier point jusqu’auquel la perte est inférieure à&#xa0;%3 du score avec une confiance de 95&#xa0;%.</translation>
    </message>
    <message>
        <source>By importance, all other kinds complete; bands are 95 % intervals; %1 examples. Orders were chosen on %2.</source>
        <translation>Par importance, toutes les autres sortes complètes&#xa0;; les bandes sont des intervalles à 95&#xa0;%&#xa0;;&#xa0;%1 exemples. Ordres choisis sur&#xa0;%2.</translation>
    </message>
    <message>
        <source>%1 without the head, minus that of the full model; %2 examples. Faded and hatched: not significant (%3).</source>
        <translation>%1 sans la tête, moins celui du modèle complet&#xa0;; %2 exemples. Pâle et hachuré&#xa0;: non significatif (%3).</translation>
    </message>
</context>
<context>
    <name>headscope::RoleEvidenceView</name>
    <message>
        <source>What the head does</source>
        <translation>Ce que fait la tête</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>By chance</source>
        <translation>Au hasard</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>How often, or with how much of its attention</source>
        <translation>À quelle fréquence, ou avec quelle part de son attention</translation>
    </message>
    <message>
        <source>Without any preference: the best fixed offset (syntactic), uniform attention (others)</source>
        <translation>Sans aucune préférence&#xa0;: le meilleur décalage fixe (syntaxique), une attention uniforme (autres)</translation>
    </message>
    <message>
        <source>Instances that the score rests on</source>
        <translation>Occurrences sur lesquelles repose le score</translation>
    </message>
    <message>
        <source>Evidence for the roles of the selected head</source>
        <translation>Indices pour les rôles de la tête sélectionnée</translation>
    </message>
    <message>
        <source>sentence %1</source>
        <translation>phrase %1</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>%1 of %2 in sentence %3: %4
Double click shows its attention.</source>
        <translation>%1 sur %2 dans la phrase %3&#xa0;: %4
Un double-clic affiche son attention.</translation>
    </message>
    <message>
        <source>no</source>
        <translation>non</translation>
    </message>
    <message>
        <source>too few instances</source>
        <translation>trop peu d’occurrences</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>Passes the thresholds.</source>
        <translation>Atteint les seuils.</translation>
    </message>
    <message numerus="yes">
        <source>Passes the thresholds, but rests on only %Ln instances.</source>
        <translation>
            <numerusform>Atteint les seuils, mais ne repose que sur %Ln occurrence.</numerusform>
            <numerusform>Atteint les seuils, mais ne repose que sur %Ln occurrences.</numerusform>
        </translation>
    </message>
    <message>
        <source>Does not pass the thresholds.</source>
        <translation>N’atteint pas les seuils.</translation>
    </message>
    <message>
        <source>For: sentences with the highest share</source>
        <translation>Pour&#xa0;: les phrases où elle le fait le plus</translation>
    </message>
    <message>
        <source>Against: sentences with the lowest share</source>
        <translation>Contre&#xa0;: les phrases où elle le fait le moins</translation>
    </message>
    <message>
        <source>Roles have not been computed yet.</source>
        <translation>Les rôles n’ont pas encore été calculés.</translation>
    </message>
    <message>
        <source>Select a head in the chart or the table: its possible roles appear here, with sentences for and against.</source>
        <translation>Sélectionner une tête dans le graphique ou le tableau&#xa0;: ce que l’on peut en dire s’affiche ici, avec des phrases pour et contre.</translation>
    </message>
    <message>
        <source>no role</source>
        <translation>aucun rôle</translation>
    </message>
    <message>
        <source> &lt;i&gt;(ambiguous: several roles pass)&lt;/i&gt;</source>
        <translation> &lt;i&gt;(ambigu&#xa0;: plusieurs rôles atteignent les seuils)&lt;/i&gt;</translation>
    </message>
    <message numerus="yes">
        <source>Largest weights of %Ln queries.</source>
        <translation>
            <numerusform>Plus grands poids de %Ln requête.</numerusform>
            <numerusform>Plus grands poids de %Ln requêtes.</numerusform>
        </translation>
    </message>
    <message>
        <source> %1 have no single largest weight.</source>
        <translation> %1 n’ont pas de plus grand poids unique.</translation>
    </message>
    <message>
        <source> Rarity by %1%2.</source>
        <translation> Rareté selon %1%2.</translation>
    </message>
    <message>
        <source>, an approximation</source>
        <translation>, une approximation</translation>
    </message>
    <message>
        <source> Alignment error rate %1 of the row that predicts a word, %2 of the row that reads it.</source>
        <translation> Taux d’erreur d’alignement&#xa0;: %1 pour la ligne qui prédit un mot, %2 pour la ligne qui le lit.</translation>
    </message>
</context>
<context>
    <name>headscope::RoleFigures</name>
    <message>
        <source>Figure</source>
        <translation>Figure</translation>
    </message>
    <message>
        <source>A point per head, lines through the means of layers (Clark et al. 2019, Figure 2)</source>
        <translation>Un point par tête, des lignes par les moyennes des couches (Clark et al. 2019, figure 2)</translation>
    </message>
    <message>
        <source>As above (Clark et al. 2019, Figure 2)</source>
        <translation>Comme ci-dessus (Clark et al. 2019, figure 2)</translation>
    </message>
    <message>
        <source>Attention to delimiters such as [SEP], from these themselves and from all others (Clark et al. 2019, Figure 2)</source>
        <translation>Attention aux délimiteurs comme [SEP], de leur part et de celle de tous les autres tokens (Clark et al. 2019, figure 2)</translation>
    </message>
    <message>
        <source>How broadly heads attend (Clark et al. 2019, Figure 4)</source>
        <translation>Quelle étendue les têtes regardent (Clark et al. 2019, figure 4)</translation>
    </message>
    <message>
        <source>Where heads of words lie</source>
        <translation>Où se trouvent les têtes des mots</translation>
    </message>
    <message>
        <source>Over words from the dependent to its head (Voita et al. 2019, Figure 3)</source>
        <translation>En mots du dépendant à sa tête (Voita et al. 2019, figure 3)</translation>
    </message>
    <message>
        <source>Partners found</source>
        <translation>Partenaires trouvés</translation>
    </message>
    <message>
        <source>How often each head&apos;s largest weight is on the partner, beside the best fixed offset (Voita et al. 2019, Figure 4)</source>
        <translation>À quelle fréquence le plus grand poids de chaque tête est sur le partenaire, à côté du meilleur décalage fixe (Voita et al. 2019, figure 4)</translation>
    </message>
    <message>
        <source>Source and prefix</source>
        <translation>Source et préfixe</translation>
    </message>
    <message>
        <source>What they contribute, by position (Voita et al. 2021)</source>
        <translation>Ce qu’ils apportent, selon la position (Voita et al. 2021)</translation>
    </message>
    <message>
        <source>Entropy of contributions</source>
        <translation>Entropie des contributions</translation>
    </message>
    <message>
        <source>How their contributions are spread over tokens, by position (Voita et al. 2021)</source>
        <translation>Comment leurs contributions se répartissent sur les tokens, selon la position (Voita et al. 2021)</translation>
    </message>
    <message>
        <source>Kind of attention</source>
        <translation>Sorte d’attention</translation>
    </message>
    <message>
        <source>Co&amp;mpute</source>
        <translation>Cal&amp;culer</translation>
    </message>
    <message>
        <source>&amp;Other models…</source>
        <translation>A&amp;utres modèles…</translation>
    </message>
    <message>
        <source>Shows results of the command roles (JSON) of other models beside this one&apos;s</source>
        <translation>Montre des résultats de la commande roles (JSON) d’autres modèles à côté de ceux-ci</translation>
    </message>
    <message>
        <source>Figure of all heads</source>
        <translation>Figure de toutes les têtes</translation>
    </message>
    <message>
        <source>Computes what the figure shows, on every data set</source>
        <translation>Calcule ce que montre la figure, sur chaque jeu de données</translation>
    </message>
    <message>
        <source>%1 is no result of roles with dependency trees. Choose what headscope-cli roles wrote of a data set with --conllu.</source>
        <translation>%1 n’est pas un résultat de roles avec des arbres de dépendances. Choisissez ce que headscope-cli roles a écrit d’un jeu de données avec --conllu.</translation>
    </message>
    <message>
        <source>Roles of other models</source>
        <translation>Rôles d’autres modèles</translation>
    </message>
    <message>
        <source>Results (*.json);;All files (*)</source>
        <translation>Résultats (*.json);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>No token has such keys.</source>
        <translation>Aucun token n’a de telles clés.</translation>
    </message>
    <message>
        <source>Press Compute: the attention of all heads is gone through once.</source>
        <translation>Appuyez sur Calculer&#xa0;: l’attention de toutes les têtes est parcourue une fois.</translation>
    </message>
    <message>
        <source>Press Compute to look for roles.</source>
        <translation>Appuyez sur Calculer pour chercher les rôles.</translation>
    </message>
    <message>
        <source>No dependency trees: give a CoNLL-U file with the data set (Choose data…), and compute again.</source>
        <translation>Pas d’arbres de dépendances&#xa0;: donnez un fichier CoNLL-U avec le jeu de données (Choisir les données…) et calculez à nouveau.</translation>
    </message>
    <message>
        <source>The relations that make heads syntactic (Thresholds) have too few words, or roles were computed by an earlier version: compute again.</source>
        <translation>Les relations qui rendent une tête syntaxique (Seuils) ont trop peu de mots, ou les rôles ont été calculés par une version antérieure&#xa0;: calculez à nouveau.</translation>
    </message>
    <message>
        <source>The model reads no source: everything is prefix.</source>
        <translation>Le modèle ne lit pas de source&#xa0;: tout est préfixe.</translation>
    </message>
    <message>
        <source>Press Compute to trace relevance.</source>
        <translation>Appuyez sur Calculer pour suivre la pertinence.</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1 %2 on %3 (%4 examples).</source>
        <translation>%1 %2 sur %3 (%4 exemples).</translation>
    </message>
    <message>
        <source>Words from dependents to their heads (Voita et al. 2019, Figure 3).</source>
        <translation>Mots des dépendants à leurs têtes (Voita et al. 2019, figure 3).</translation>
    </message>
    <message>
        <source>How often each head&apos;s largest weight is on the partner, beside the best fixed offset (Voita et al. 2019, Figure 4).</source>
        <translation>À quelle fréquence le plus grand poids de chaque tête est sur le partenaire, à côté du meilleur décalage fixe (Voita et al. 2019, figure 4).</translation>
    </message>
    <message>
        <source>What source and prefix contribute by position (Voita et al. 2021).</source>
        <translation>Ce qu’apportent la source et le préfixe selon la position (Voita et al. 2021).</translation>
    </message>
    <message>
        <source>Read %1</source>
        <translation>Lire %1</translation>
    </message>
    <message>
        <source>Contributions of tokens</source>
        <translation>Contributions des tokens</translation>
    </message>
    <message>
        <source>What each token of one example contributes to each output (Voita et al. 2021)</source>
        <translation>Ce que chaque token d’un exemple apporte à chaque sortie (Voita et al. 2021)</translation>
    </message>
    <message>
        <source>Example </source>
        <translation>Exemple </translation>
    </message>
    <message>
        <source>Example whose tokens are shown</source>
        <translation>Exemple dont les tokens sont affichés</translation>
    </message>
    <message>
        <source>Press Compute to trace the outputs of this example back to its tokens.</source>
        <translation>Cliquez sur Calculer pour remonter des sorties de cet exemple à ses tokens.</translation>
    </message>
    <message>
        <source>What each token contributes to each output (Voita et al. 2021). %1 on %2, example %3.</source>
        <translation>Ce que chaque token apporte à chaque sortie (Voita et al. 2021). %1 sur %2, exemple %3.</translation>
    </message>
    <message>
        <source>Contributions of tokens, example %1</source>
        <translation>Contributions des tokens, exemple %1</translation>
    </message>
    <message>
        <source>outputs</source>
        <translation>sorties</translation>
    </message>
    <message>
        <source>text so far</source>
        <translation>texte jusqu’ici</translation>
    </message>
    <message>
        <source>text</source>
        <translation>texte</translation>
    </message>
    <message>
        <source>source, then output so far</source>
        <translation>source, puis sortie jusqu’ici</translation>
    </message>
    <message>
        <source>share of the output&apos;s relevance</source>
        <translation>part de la pertinence de la sortie</translation>
    </message>
    <message>
        <source>Entropy of the attention of each head, %1 (Clark et al. 2019, Figure 4).</source>
        <translation>Entropie de l’attention de chaque tête, %1 (Clark et al. 2019, figure 4).</translation>
    </message>
    <message>
        <source>Mean attention of each head by kinds of keys, %1 (Clark et al. 2019, Figure 2).</source>
        <translation>Attention moyenne de chaque tête par sorte de clé, %1 (Clark et al. 2019, figure 2).</translation>
    </message>
</context>
<context>
    <name>headscope::RoleFilterBox</name>
    <message>
        <source>Filter by role</source>
        <translation>Filtrer par rôle</translation>
    </message>
    <message>
        <source>Dims the heads of other roles</source>
        <translation>Estompe les têtes des autres rôles</translation>
    </message>
    <message>
        <source>All heads</source>
        <translation>Toutes les têtes</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>headscope::RoleScatter</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>no role</source>
        <translation>aucun rôle</translation>
    </message>
    <message>
        <source>?: other roles too</source>
        <translation>?&#xa0;: autres rôles aussi</translation>
    </message>
    <message>
        <source>relevance</source>
        <translation>pertinence</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>confiance</translation>
    </message>
    <message>
        <source>layer; heads by relevance</source>
        <translation>couche&#xa0;; têtes par pertinence</translation>
    </message>
    <message>
        <source>layer; heads by confidence</source>
        <translation>couche&#xa0;; têtes par confiance</translation>
    </message>
    <message>
        <source>, confidence %1</source>
        <translation>, confiance %1</translation>
    </message>
</context>
<context>
    <name>headscope::RoleScatterChart</name>
    <message>
        <source>Relevance, confidence and role of the heads</source>
        <translation>Pertinence, confiance et rôle des têtes</translation>
    </message>
</context>
<context>
    <name>headscope::RoleStrip</name>
    <message>
        <source>Remaining heads with a role, %1:</source>
        <translation>Têtes restantes ayant un rôle, %1&#xa0;:</translation>
    </message>
    <message>
        <source>%1:</source>
        <translation>%1&#xa0;:</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>no role %1</source>
        <translation>aucun rôle %1</translation>
    </message>
    <message>
        <source>%1 heads removed; left: %2</source>
        <translation>%1 têtes retirées&#xa0;; restent&#xa0;: %2</translation>
    </message>
</context>
<context>
    <name>headscope::RoleStripChart</name>
    <message>
        <source>Roles of the heads that are left</source>
        <translation>Rôles des têtes restantes</translation>
    </message>
    <message>
        <source>Roles of the remaining heads: not known yet</source>
        <translation>Rôles des têtes restantes : pas encore connus</translation>
    </message>
</context>
<context>
    <name>headscope::RoleThresholdsBox</name>
    <message>
        <source>Positional</source>
        <translation>Positionnel</translation>
    </message>
    <message>
        <source>Share of queries whose largest weight lies at one offset, at least</source>
        <translation>Part minimale des requêtes dont le plus grand poids se trouve à un même décalage</translation>
    </message>
    <message>
        <source>Syntactic, over the best fixed offset</source>
        <translation>Syntaxique, au-delà du meilleur décalage fixe</translation>
    </message>
    <message>
        <source>Points by which a head must find a relation&apos;s partner more often than always pointing to the best fixed offset does</source>
        <translation>Nombre de points par lequel une tête doit trouver le partenaire d’une relation plus souvent qu’en pointant toujours au meilleur décalage fixe</translation>
    </message>
    <message>
        <source>Rare word</source>
        <translation>Mot rare</translation>
    </message>
    <message>
        <source>Share of queries whose largest weight is on one of the two rarest tokens, at least; and three times chance</source>
        <translation>Part minimale des requêtes dont le plus grand poids porte sur l’un des deux tokens les plus rares&#xa0;; et trois fois le hasard</translation>
    </message>
    <message>
        <source>Patterns</source>
        <translation>Motifs</translation>
    </message>
    <message>
        <source>Share of attention that goes to copies, the diagonal, the same token, separators, at least; and twice what uniform attention gives</source>
        <translation>Part minimale de l’attention qui va aux copies, à la diagonale, au même token, aux séparateurs&#xa0;; et deux fois ce que donne une attention uniforme</translation>
    </message>
    <message>
        <source>Labels with fewer instances are not shown</source>
        <translation>Les étiquettes qui reposent sur moins ne sont pas affichées</translation>
    </message>
    <message>
        <source>Minimum number of instances of a label</source>
        <translation>Nombre minimal d’occurrences d’une étiquette</translation>
    </message>
    <message>
        <source>nsubj, obj, amod, advmod</source>
        <translation>nsubj, obj, amod, advmod</translation>
    </message>
    <message>
        <source>all relations</source>
        <translation>toutes les relations</translation>
    </message>
    <message>
        <source>Relations that make a head syntactic: the four of Voita et al. (2019), or all that are found</source>
        <translation>Relations qui rendent une tête syntaxique&#xa0;: les quatre de Voita et al. (2019), ou toutes celles que l’on trouve</translation>
    </message>
    <message>
        <source>Relations</source>
        <translation>Relations</translation>
    </message>
    <message>
        <source>&amp;Defaults</source>
        <translation>Par &amp;défaut</translation>
    </message>
    <message>
        <source>The thresholds of the papers</source>
        <translation>Les seuils des articles</translation>
    </message>
    <message>
        <source>At least</source>
        <translation>Au moins</translation>
    </message>
    <message>
        <source>instances</source>
        <translation>occurrences</translation>
    </message>
</context>
<context>
    <name>headscope::Roles</name>
    <message>
        <source>Positional</source>
        <translation>Positionnel</translation>
    </message>
    <message>
        <source>Syntactic</source>
        <translation>Syntaxique</translation>
    </message>
    <message>
        <source>Rare word</source>
        <translation>Mot rare</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copie</translation>
    </message>
    <message>
        <source>Diagonal</source>
        <translation>Diagonale</translation>
    </message>
    <message>
        <source>Induction</source>
        <translation>Induction</translation>
    </message>
    <message>
        <source>Same token</source>
        <translation>Même token</translation>
    </message>
    <message>
        <source>Separator</source>
        <translation>Séparateur</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1, or %2</source>
        <translation>%1, ou %2</translation>
    </message>
    <message>
        <source>Local</source>
        <translation>Local</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>Bloc</translation>
    </message>
    <message>
        <source>Delimiter</source>
        <translation>Délimiteur</translation>
    </message>
    <message>
        <source>%1, p %2</source>
        <translation>%1, p %2</translation>
    </message>
    <message>
        <source>%1, p = %2</source>
        <translation>%1, p = %2</translation>
    </message>
    <message>
        <source>αβ rule</source>
        <translation>règle αβ</translation>
    </message>
    <message>
        <source>ε rule</source>
        <translation>règle ε</translation>
    </message>
    <message>
        <source>AttnLRP</source>
        <translation>AttnLRP</translation>
    </message>
    <message>
        <source>CP-LRP</source>
        <translation>CP-LRP</translation>
    </message>
    <message>
        <source>relevance %1 ±%2</source>
        <translation>pertinence %1 ±%2</translation>
    </message>
    <message>
        <source>relevance %1</source>
        <translation>pertinence %1</translation>
    </message>
    <message>
        <source>from the subject to its verb</source>
        <translation>du sujet à son verbe</translation>
    </message>
    <message>
        <source>from the verb to its subject</source>
        <translation>du verbe à son sujet</translation>
    </message>
    <message>
        <source>from the object to its verb</source>
        <translation>de l’objet à son verbe</translation>
    </message>
    <message>
        <source>from the verb to its object</source>
        <translation>du verbe à son objet</translation>
    </message>
    <message>
        <source>from the indirect object to its verb</source>
        <translation>de l’objet indirect à son verbe</translation>
    </message>
    <message>
        <source>from the verb to its indirect object</source>
        <translation>du verbe à son objet indirect</translation>
    </message>
    <message>
        <source>from the adjective to its noun</source>
        <translation>de l’adjectif à son nom</translation>
    </message>
    <message>
        <source>from the noun to its adjective</source>
        <translation>du nom à son adjectif</translation>
    </message>
    <message>
        <source>from the adverb to the word it modifies</source>
        <translation>de l’adverbe au mot qu’il modifie</translation>
    </message>
    <message>
        <source>from a word to its adverb</source>
        <translation>d’un mot à son adverbe</translation>
    </message>
    <message>
        <source>from the determiner to its noun</source>
        <translation>du déterminant à son nom</translation>
    </message>
    <message>
        <source>from the noun to its determiner</source>
        <translation>du nom à son déterminant</translation>
    </message>
    <message>
        <source>from the preposition to its noun</source>
        <translation>de la préposition à son nom</translation>
    </message>
    <message>
        <source>from the noun to its preposition</source>
        <translation>du nom à sa préposition</translation>
    </message>
    <message>
        <source>from the auxiliary to its verb</source>
        <translation>de l’auxiliaire à son verbe</translation>
    </message>
    <message>
        <source>from the verb to its auxiliary</source>
        <translation>du verbe à son auxiliaire</translation>
    </message>
    <message>
        <source>from the dependent to its head word</source>
        <translation>du dépendant à son gouverneur</translation>
    </message>
    <message>
        <source>from the head word to its dependent</source>
        <translation>du gouverneur à son dépendant</translation>
    </message>
    <message>
        <source>%1 %2: %3</source>
        <translation>%1 %2 : %3</translation>
    </message>
    <message>
        <source>Retrieval</source>
        <translation>Recherche lointaine</translation>
    </message>
    <message>
        <source>Sink</source>
        <translation>Puits</translation>
    </message>
    <message>
        <source>induction</source>
        <translation>induction</translation>
    </message>
    <message>
        <source>previous token</source>
        <translation>token précédent</translation>
    </message>
    <message>
        <source>duplicate token</source>
        <translation>token répété</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>premier token</translation>
    </message>
    <message>
        <source>copying</source>
        <translation>copie</translation>
    </message>
</context>
<context>
    <name>headscope::RolesPage</name>
    <message>
        <source>R&amp;oles now</source>
        <translation>&amp;Rôles maintenant</translation>
    </message>
    <message>
        <source>&amp;Relevance now</source>
        <translation>&amp;Pertinence maintenant</translation>
    </message>
    <message>
        <source>&amp;Roles</source>
        <translation>&amp;Rôles</translation>
    </message>
    <message>
        <source>By layer</source>
        <translation>Par couche</translation>
    </message>
    <message>
        <source>Scatter</source>
        <translation>Nuage de points</translation>
    </message>
    <message>
        <source>Form of the chart</source>
        <translation>Forme du graphique</translation>
    </message>
    <message>
        <source>Relevance and confidence over the layers, or one against the other</source>
        <translation>Pertinence et confiance selon les couches, ou l’une en fonction de l’autre</translation>
    </message>
    <message>
        <source>Compute &amp;roles</source>
        <translation>Calculer les rô&amp;les</translation>
    </message>
    <message>
        <source>Compute re&amp;levance</source>
        <translation>Calculer la perti&amp;nence</translation>
    </message>
    <message>
        <source>Heads and their roles</source>
        <translation>Têtes et leurs rôles</translation>
    </message>
    <message>
        <source>&amp;Tests of roles beside labels</source>
        <translation>&amp;Tests de rôles à côté des étiquettes</translation>
    </message>
    <message>
        <source>Four roles with a score and a test each (Pande et al. 2021), beside the labels of Voita et al. (2019)</source>
        <translation>Quatre rôles, chacun avec un score et un test (Pande et al. 2021), à côté des étiquettes de Voita et al. (2019)</translation>
    </message>
    <message>
        <source>Settings and evidence of roles</source>
        <translation>Réglages et indices des rôles</translation>
    </message>
    <message>
        <source>Offsets of the selected head&apos;s largest weights</source>
        <translation>Décalages des plus grands poids de la tête sélectionnée</translation>
    </message>
    <message>
        <source>Dependency relations that the selected head finds</source>
        <translation>Relations de dépendance que trouve la tête sélectionnée</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>Indices</translation>
    </message>
    <message>
        <source>Counts</source>
        <translation>Effectifs</translation>
    </message>
    <message>
        <source>Relations</source>
        <translation>Relations</translation>
    </message>
    <message>
        <source>Thresholds</source>
        <translation>Seuils</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Réglages</translation>
    </message>
    <message>
        <source>Select a head.</source>
        <translation>Sélectionner une tête.</translation>
    </message>
    <message>
        <source>Roles have not been computed yet.</source>
        <translation>Les rôles n’ont pas encore été calculés.</translation>
    </message>
    <message>
        <source>No relation was found in the trees.</source>
        <translation>Aucune relation n’a été trouvée dans les arbres.</translation>
    </message>
    <message>
        <source>Relations are counted where source words attend to source words: in encoder self-attention.</source>
        <translation>Les relations sont cherchées là où des mots source regardent des mots source&#xa0;: dans l’auto-attention de l’encodeur.</translation>
    </message>
    <message>
        <source>Roles were computed without the dependency trees: compute them again.</source>
        <translation>Les rôles ont été calculés sans les arbres de dépendances&#xa0;: les recalculer.</translation>
    </message>
    <message>
        <source>No dependency trees: syntactic roles need a CoNLL-U file with the data set (Choose data…).</source>
        <translation>Pas d’arbres de dépendances&#xa0;: les rôles syntaxiques nécessitent un fichier CoNLL-U avec le jeu de données (Choisir les données…).</translation>
    </message>
    <message>
        <source>No model is open. Open a model folder to find out what its heads do.</source>
        <translation>Aucun modèle n’est ouvert. Ouvrir un dossier de modèle pour découvrir ce que font ses têtes.</translation>
    </message>
    <message>
        <source>No data set is open. Choose one, then press “Compute roles”.</source>
        <translation>Aucun jeu de données n’est ouvert. En choisir un, puis appuyer sur «&#xa0;Calculer les rôles&#xa0;».</translation>
    </message>
    <message>
        <source>Nothing has been computed yet. “Compute roles” counts where every head&apos;s largest weights are; “Compute relevance” traces the model&apos;s outputs back through its heads.</source>
        <translation>Rien n’a encore été calculé. «&#xa0;Calculer les rôles&#xa0;» examine où se trouvent les plus grands poids de chaque tête&#xa0;; «&#xa0;Calculer la pertinence&#xa0;» retrace à travers ses têtes ce que dit le modèle.</translation>
    </message>
    <message>
        <source>Syntactic roles need dependency trees: give a CoNLL-U file with the data set (Choose data…).</source>
        <translation>Les rôles syntaxiques nécessitent des arbres de dépendances&#xa0;: donner un fichier CoNLL-U avec le jeu de données (Choisir les données…).</translation>
    </message>
    <message>
        <source>%1 of %2 heads have a role, by %3 of %4 examples.</source>
        <translation>%1 têtes sur %2 ont un rôle, selon %3 de %4 exemples.</translation>
    </message>
    <message>
        <source>norm-weighted attention</source>
        <translation>l’attention pondérée par la norme</translation>
    </message>
    <message>
        <source>attention weights</source>
        <translation>les poids d’attention</translation>
    </message>
    <message>
        <source> Lower thresholds show which come nearest.</source>
        <translation> Des seuils plus bas montrent lesquelles s’en approchent le plus.</translation>
    </message>
    <message>
        <source>Refining: </source>
        <translation>Affinage&#xa0;: </translation>
    </message>
    <message>
        <source> No syntactic roles: no dependency trees.</source>
        <translation> Pas de rôles syntaxiques&#xa0;: pas d’arbres de dépendances.</translation>
    </message>
    <message>
        <source> %1 trees used, %2 not found in their texts.</source>
        <translation> %1 arbres utilisés, %2 non trouvés dans leurs textes.</translation>
    </message>
    <message>
        <source>Relevance by the %1 over %2 steps of %3 examples.</source>
        <translation>Pertinence (%1) sur %2 pas de %3 exemples.</translation>
    </message>
    <message>
        <source>Relevance is not computed.</source>
        <translation>La pertinence n’est pas calculée.</translation>
    </message>
    <message>
        <source>&lt;b&gt;Roles of heads&lt;/b&gt;, %1</source>
        <translation>&lt;b&gt;Rôles des têtes&lt;/b&gt;, %1</translation>
    </message>
    <message>
        <source>&lt;b&gt;Roles of heads&lt;/b&gt;</source>
        <translation>&lt;b&gt;Rôles des têtes&lt;/b&gt;</translation>
    </message>
    <message>
        <source>What every head attends to, on every data set, with the settings below</source>
        <translation>Ce que regarde chaque tête, sur chaque jeu de données, selon les réglages ci-dessous</translation>
    </message>
    <message>
        <source>How much every head contributes to the model&apos;s outputs, on every data set, with the settings below</source>
        <translation>À quel point chaque tête contribue à ce que dit le modèle, sur chaque jeu de données, selon les réglages ci-dessous</translation>
    </message>
    <message>
        <source>Roles, %1</source>
        <translation>Rôles, %1</translation>
    </message>
    <message>
        <source>Roles of the heads of %1 on %2. %3</source>
        <translation>Rôles des têtes de %1 sur %2. %3</translation>
    </message>
    <message>
        <source>Offsets of %1, %2</source>
        <translation>Décalages de %1, %2</translation>
    </message>
    <message>
        <source>Relations of %1, %2</source>
        <translation>Relations de %1, %2</translation>
    </message>
    <message>
        <source>%1: %2, on %3 (%4 examples). Marks: %5.</source>
        <translation>%1&#xa0;: %2, sur %3 (%4 exemples). Marques&#xa0;: %5.</translation>
    </message>
    <message>
        <source>Stopped: </source>
        <translation>Arrêté&#xa0;: </translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>Graphique</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>Figures</translation>
    </message>
    <message>
        <source>Best head of every relation, %1</source>
        <translation>Meilleure tête de chaque relation, %1</translation>
    </message>
    <message>
        <source>The head whose largest weight is on the partner most often, beside the best fixed offset, on %1 (%2 trees; Clark et al. 2019, Table 1).</source>
        <translation>La tête dont le plus grand poids est le plus souvent sur le partenaire, à côté du meilleur décalage fixe, sur %1 (%2 arbres&#xa0;; Clark et al. 2019, tableau 1).</translation>
    </message>
    <message>
        <source>Evidence, charts and settings</source>
        <translation>Indices, graphiques et réglages</translation>
    </message>
</context>
<context>
    <name>headscope::RolesSettings</name>
    <message>
        <source>Force the decoder to its own output</source>
        <translation>Le décodeur dit sa propre sortie</translation>
    </message>
    <message>
        <source>Attention and relevance are measured with the decoder forced to the model&apos;s own (greedy) output; otherwise to the references, if there are any</source>
        <translation>L’attention et la pertinence sont lues pendant que l’on fait dire au décodeur la propre sortie (gloutonne) du modèle&#xa0;; sinon les références, s’il y en a</translation>
    </message>
    <message>
        <source>Roles</source>
        <translation>Rôles</translation>
    </message>
    <message>
        <source>Attention weights</source>
        <translation>Poids d’attention</translation>
    </message>
    <message>
        <source>Norm-weighted</source>
        <translation>Pondéré par la norme</translation>
    </message>
    <message>
        <source>Norm-weighted: every weight times the length of the value vector that it lets through (Kobayashi et al. 2020), divided by their sum</source>
        <translation>Pondéré par la norme&#xa0;: chaque poids multiplié par la longueur du vecteur valeur qu’il laisse passer (Kobayashi et al. 2020), divisé par leur somme</translation>
    </message>
    <message>
        <source>Neither as query nor as key</source>
        <translation>Ni comme requête ni comme clé</translation>
    </message>
    <message>
        <source>Not as query</source>
        <translation>Pas comme requête</translation>
    </message>
    <message>
        <source>Not as key</source>
        <translation>Pas comme clé</translation>
    </message>
    <message>
        <source>Counted</source>
        <translation>Comptés</translation>
    </message>
    <message>
        <source>How start, end and separator tokens count in confidence. The largest weights that roles rest on are always looked for among real tokens</source>
        <translation>Comment les tokens de début, de fin et de séparation comptent dans la confiance. Les plus grands poids sur lesquels reposent les rôles sont toujours cherchés parmi les vrais tokens</translation>
    </message>
    <message>
        <source>Weights of real tokens sum to 1</source>
        <translation>La somme des poids des vrais tokens vaut 1</translation>
    </message>
    <message>
        <source>In confidence, weights of special tokens are left out and the rest is divided by its sum</source>
        <translation>Dans la confiance, ce qui va aux tokens spéciaux est écarté et le reste divisé par sa somme</translation>
    </message>
    <message>
        <source>The vocabulary&apos;s order</source>
        <translation>L’ordre du vocabulaire</translation>
    </message>
    <message>
        <source>A text</source>
        <translation>Un texte</translation>
    </message>
    <message>
        <source>A list of word counts</source>
        <translation>Une liste d’effectifs de mots</translation>
    </message>
    <message>
        <source>How rare words are recognised: the training text of the model is best; the order of the vocabulary is an approximation</source>
        <translation>Comment savoir quels mots sont rares&#xa0;: le mieux est le texte sur lequel le modèle a été entraîné&#xa0;; l’ordre du vocabulaire est une approximation</translation>
    </message>
    <message>
        <source>Text whose tokens are counted</source>
        <translation>Texte dont les tokens sont comptés</translation>
    </message>
    <message>
        <source>one sentence a line, e.g. training data</source>
        <translation>une phrase par ligne, p. ex. les données d’entraînement</translation>
    </message>
    <message>
        <source>Word counts</source>
        <translation>Effectifs des mots</translation>
    </message>
    <message>
        <source>a word and its count on every line</source>
        <translation>un mot et son effectif par ligne</translation>
    </message>
    <message>
        <source>Word alignments</source>
        <translation>Alignements de mots</translation>
    </message>
    <message>
        <source>0-0 1-2 …, one line a pair</source>
        <translation>0-0 1-2 …, une ligne par paire</translation>
    </message>
    <message>
        <source>For the alignment error of cross-attention; none: it is not computed</source>
        <translation>Pour l’erreur d’alignement de l’attention croisée&#xa0;; sans eux, elle n’est pas calculée</translation>
    </message>
    <message>
        <source>Threshold of the tests of roles</source>
        <translation>Seuil des tests de rôles</translation>
    </message>
    <message>
        <source>Tests of roles: how many times as much attention as if all keys got the same a head must give</source>
        <translation>Tests de rôles&#xa0;: combien de fois plus d’attention une tête doit donner que si toutes les clés recevaient la même</translation>
    </message>
    <message>
        <source>&amp;Measure</source>
        <translation>&amp;Mesure</translation>
    </message>
    <message>
        <source>Special &amp;tokens</source>
        <translation>To&amp;kens spéciaux</translation>
    </message>
    <message>
        <source>&amp;Rarity from</source>
        <translation>Rareté &amp;selon</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Counts</source>
        <translation>Effectifs</translation>
    </message>
    <message>
        <source>Alignments</source>
        <translation>Alignements</translation>
    </message>
    <message>
        <source>Tests &amp;against</source>
        <translation>Seuil d&amp;es tests</translation>
    </message>
    <message>
        <source>Relevance</source>
        <translation>Pertinence</translation>
    </message>
    <message>
        <source>How relevance is divided among inputs. αβ: as in the code of Voita et al.; ε: as in their paper; AttnLRP: Achtibat et al. 2024; CP-LRP: Ali et al. 2022</source>
        <translation>Comment la pertinence est répartie entre les entrées. αβ&#xa0;: comme dans le code de Voita et al.&#xa0;; ε&#xa0;: comme dans leur article&#xa0;; AttnLRP&#xa0;: Achtibat et al. 2024&#xa0;; CP-LRP&#xa0;: Ali et al. 2022</translation>
    </message>
    <message>
        <source>The rule&apos;s default</source>
        <translation>Comme d’usage pour la règle</translation>
    </message>
    <message>
        <source>Of absolute relevance</source>
        <translation>De la pertinence absolue</translation>
    </message>
    <message>
        <source>Signed</source>
        <translation>Signée</translation>
    </message>
    <message>
        <source>The total that a head&apos;s share refers to, for rules with negative relevances</source>
        <translation>De quoi est prise la part d’une tête dans sa couche, quand la règle donne aussi des pertinences négatives</translation>
    </message>
    <message>
        <source>Attention weights are constant</source>
        <translation>Les poids d’attention sont constants</translation>
    </message>
    <message>
        <source>αβ: no relevance flows back through queries and keys</source>
        <translation>αβ&#xa0;: rien ne remonte par les requêtes et les clés</translation>
    </message>
    <message>
        <source>R&amp;ule</source>
        <translation>Rè&amp;gle</translation>
    </message>
    <message>
        <source>&amp;Shares</source>
        <translation>&amp;Parts</translation>
    </message>
    <message>
        <source>First tokens</source>
        <translation>Premiers tokens</translation>
    </message>
    <message>
        <source>How many tokens from the beginning a sink looks at</source>
        <translation>Combien de tokens du début regarde un puits</translation>
    </message>
    <message>
        <source>Distant tokens from</source>
        <translation>Tokens lointains à partir de</translation>
    </message>
    <message>
        <source>Other tokens at this distance from the query or more are distant. Retrieval is told by the analysis Ablate with the replacement window and the same two numbers</source>
        <translation>Les autres tokens à cette distance de la requête ou plus sont lointains. La recherche lointaine se voit par l&apos;analyse Ablate avec le remplacement window et les deux mêmes nombres</translation>
    </message>
</context>
<context>
    <name>headscope::RolesTableModel</name>
    <message>
        <source>Head</source>
        <translation>Tête</translation>
    </message>
    <message>
        <source>Kind, layer and head, counted from 0</source>
        <translation>Type, couche et tête, comptées à partir de 0</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>Rôle</translation>
    </message>
    <message>
        <source>The first label that passes the thresholds</source>
        <translation>La première étiquette qui atteint les seuils</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>How often, or with how much of its attention, the head acts as the role describes</source>
        <translation>À quelle fréquence, ou avec quelle part de son attention, la tête fait ce que dit le rôle</translation>
    </message>
    <message>
        <source>By chance</source>
        <translation>Au hasard</translation>
    </message>
    <message>
        <source>The value without any preference: the best fixed offset (syntactic), uniform attention (others)</source>
        <translation>La même chose sans aucune préférence&#xa0;: le meilleur décalage fixe (syntaxique), une attention uniforme (autres)</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>Instances that the score rests on</source>
        <translation>Occurrences sur lesquelles repose le score</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Confiance</translation>
    </message>
    <message>
        <source>Mean of the largest weight</source>
        <translation>Moyenne du plus grand poids</translation>
    </message>
    <message>
        <source>Relevance</source>
        <translation>Pertinence</translation>
    </message>
    <message>
        <source>Share of its layer’s relevance for the model&apos;s outputs</source>
        <translation>Part de la pertinence de sa couche pour ce que dit le modèle</translation>
    </message>
    <message>
        <source>Also</source>
        <translation>Aussi</translation>
    </message>
    <message>
        <source>The best label of another role that passes too</source>
        <translation>La meilleure étiquette d’un autre rôle également atteint</translation>
    </message>
    <message>
        <source>the tokens of words that the dependency tree links to the query&apos;s word</source>
        <translation>les tokens des mots que l’arbre de dépendances relie au mot de la requête</translation>
    </message>
    <message>
        <source>the query and two tokens on either side</source>
        <translation>la requête et deux tokens de chaque côté</translation>
    </message>
    <message>
        <source>the tokens of the query&apos;s own text of a pair</source>
        <translation>les tokens du texte de la paire où se trouve la requête</translation>
    </message>
    <message>
        <source>special tokens</source>
        <translation>les tokens spéciaux</translation>
    </message>
    <message>
        <source>%1 test</source>
        <translation>Test %1</translation>
    </message>
    <message>
        <source>How many times as much attention %1 get as if all keys got the same, mean over sentences; p of a t-test that it is no more than the threshold (Holm over all heads and roles; Pande et al. 2021). Bold: p &lt; 0.05</source>
        <translation>Combien de fois plus d’attention reçoivent %1 que si toutes les clés recevaient la même, moyenne sur les phrases&#xa0;; p d’un test t que ce n’est pas plus que le seuil (Holm sur toutes les têtes et tous les rôles&#xa0;; Pande et al. 2021). Gras&#xa0;: p &lt; 0,05</translation>
    </message>
    <message>
        <source>–</source>
        <translation>–</translation>
    </message>
    <message>
        <source>no role</source>
        <translation>aucun rôle</translation>
    </message>
    <message>
        <source>, confidence %1</source>
        <translation>, confiance %1</translation>
    </message>
    <message>
        <source>, %1 test %2</source>
        <translation>, test %1 %2</translation>
    </message>
</context>
<context>
    <name>headscope::RolloutFeed</name>
    <message>
        <source>Attention rollout</source>
        <translation>Rollout d’attention</translation>
    </message>
</context>
<context>
    <name>headscope::RunningTextFields</name>
    <message>
        <source>%1: text file</source>
        <translation>%1&#xa0;: fichier texte</translation>
    </message>
    <message>
        <source>running text (.gz and .xz too)</source>
        <translation>texte courant (.gz et .xz aussi)</translation>
    </message>
    <message>
        <source>a line</source>
        <translation>une ligne</translation>
    </message>
    <message>
        <source>a document (between blank lines)</source>
        <translation>un document (entre lignes vides)</translation>
    </message>
    <message>
        <source>the whole file</source>
        <translation>tout le fichier</translation>
    </message>
    <message>
        <source>%1: what one text is</source>
        <translation>%1&#xa0;: ce qu’est un texte</translation>
    </message>
    <message>
        <source>no overlap</source>
        <translation>sans recouvrement</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> tokens</translation>
    </message>
    <message>
        <source>%1: stride of windows</source>
        <translation>%1&#xa0;: pas des fenêtres</translation>
    </message>
    <message>
        <source>Texts longer than the model&apos;s maximum length are cut into windows. Each begins this many tokens after the one before; shared tokens are context in the second</source>
        <translation>Les textes plus longs que ce que lit le modèle sont découpés en fenêtres. Chacune commence tant de tokens après la précédente&#xa0;; ce que deux fenêtres ont en commun sert de contexte dans la seconde</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>One text is</source>
        <translation>Un texte est</translation>
    </message>
    <message>
        <source>Stride of windows</source>
        <translation>Pas de fenêtre</translation>
    </message>
    <message>
        <source>as many tokens as it reads</source>
        <translation>autant de tokens qu’elle en lit</translation>
    </message>
    <message>
        <source>one fewer, as Hugging Face&apos;s guide</source>
        <translation>un de moins, comme le guide de Hugging Face</translation>
    </message>
    <message>
        <source>%1: what a window predicts</source>
        <translation>%1&#xa0;: ce que prédit une fenêtre</translation>
    </message>
    <message>
        <source>It predicts</source>
        <translation>Elle prédit</translation>
    </message>
    <message>
        <source>as the tokenizer begins the text</source>
        <translation>comme le tokenizer commence le texte</translation>
    </message>
    <message>
        <source>with the model&apos;s first token</source>
        <translation>par le premier token du modèle</translation>
    </message>
    <message>
        <source>%1: what windows begin with</source>
        <translation>%1 : par quoi commencent les fenêtres</translation>
    </message>
    <message>
        <source>Tokenizers that put a token before texts put it before the first window only; later windows begin in the middle of the text. With the model&apos;s first token before every window, first words count too</source>
        <translation>Les tokenizers qui mettent un token devant les textes ne le mettent que devant la première fenêtre ; les suivantes commencent au milieu du texte. Avec le premier token du modèle devant chaque fenêtre, les premiers mots comptent aussi</translation>
    </message>
    <message>
        <source>Windows begin</source>
        <translation>Les fenêtres commencent</translation>
    </message>
</context>
<context>
    <name>headscope::SavePrunedDialog</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Save pruned model</source>
        <translation>Enregistrer le modèle élagué</translation>
    </message>
    <message>
        <source>Opens in %1. Neither smaller nor faster.</source>
        <translation>S’ouvre dans %1. Ni plus petit, ni plus rapide.</translation>
    </message>
    <message>
        <source>Fewer parameters, less work. Opens in %1.</source>
        <translation>Moins de paramètres, moins de calcul. S’ouvre dans %1.</translation>
    </message>
    <message>
        <source>What pruning saves</source>
        <translation>Ce que l’élagage économise</translation>
    </message>
    <message>
        <source>Form</source>
        <translation>Forme</translation>
    </message>
    <message>
        <source>&amp;Full shape: the removed heads are set to zero</source>
        <translation>&amp;Forme complète&#xa0;: les têtes restent et ne donnent rien</translation>
    </message>
    <message>
        <source>&amp;Small: the heads are removed from the weights</source>
        <translation>&amp;Petit&#xa0;: les têtes sont supprimées</translation>
    </message>
    <message>
        <source>&amp;Compensate: keep the removed heads&apos; mean output</source>
        <translation>&amp;Compenser&#xa0;: garder la sortie moyenne des têtes retirées</translation>
    </message>
    <message>
        <source>Data set of the means</source>
        <translation>Jeu de données des moyennes</translation>
    </message>
    <message>
        <source>Evaluate the saved model on other data than these</source>
        <translation>Juger le modèle enregistré sur d’autres données que celles-ci</translation>
    </message>
    <message>
        <source>Adds each head&apos;s mean output to the output bias, as if the head were replaced by its mean</source>
        <translation>Ajoute la sortie moyenne de chaque tête au biais de sortie, comme si la tête était remplacée par sa moyenne</translation>
    </message>
    <message>
        <source>Needs a data set: choose one first</source>
        <translation>Nécessite un jeu de données&#xa0;: en choisir un d’abord</translation>
    </message>
    <message>
        <source>over</source>
        <translation>sur</translation>
    </message>
    <message>
        <source>New f&amp;older:</source>
        <translation>Nouveau &amp;dossier&#xa0;:</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>Choose where to put the new folder</source>
        <translation>Choisir où placer le nouveau dossier</translation>
    </message>
    <message>
        <source>Speed here</source>
        <translation>Vitesse ici</translation>
    </message>
    <message>
        <source>Data set to measure with</source>
        <translation>Jeu de données pour la mesure</translation>
    </message>
    <message>
        <source>Examples per second</source>
        <translation>Exemples par seconde</translation>
    </message>
    <message>
        <source>Enter a name for the model&apos;s folder.</source>
        <translation>Nommer le dossier du modèle.</translation>
    </message>
    <message>
        <source>There is a file with this name.</source>
        <translation>Il existe un fichier de ce nom.</translation>
    </message>
    <message>
        <source>This folder is not empty. Choose a new one.</source>
        <translation>Ce dossier n’est pas vide. En choisir un nouveau.</translation>
    </message>
    <message>
        <source>now</source>
        <translation>actuel</translation>
    </message>
    <message>
        <source>&lt;b&gt;saved&lt;/b&gt;</source>
        <translation>&lt;b&gt;enregistré&lt;/b&gt;</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Têtes</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;, %2 silent</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;, dont %2 muettes</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Paramètres</translation>
    </message>
    <message>
        <source>&lt;b&gt;Note:&lt;/b&gt; %1</source>
        <translation>&lt;b&gt;Note&#xa0;:&lt;/b&gt; %1</translation>
    </message>
    <message>
        <source>&amp;Cancel measuring</source>
        <translation>&amp;Arrêter la mesure</translation>
    </message>
    <message>
        <source>&amp;Measure speed</source>
        <translation>&amp;Mesurer la vitesse</translation>
    </message>
    <message>
        <source>Choose a data set first: speed is measured on its examples.</source>
        <translation>Choisir d’abord un jeu de données&#xa0;: la mesure se fait avec ses exemples.</translation>
    </message>
    <message>
        <source>Waiting for the running job.</source>
        <translation>Attend la tâche en cours.</translation>
    </message>
    <message>
        <source>Measuring: batch %1 of %2</source>
        <translation>Mesure&#xa0;: lot %1 sur %2</translation>
    </message>
    <message>
        <source>Measuring.</source>
        <translation>Mesure en cours.</translation>
    </message>
    <message>
        <source>Mean and standard deviation of %1 repeats of %2 examples on the %3; threads: %4, device: %5. Masking saves no work; removing does.</source>
        <translation>Moyenne et écart type de %1 répétitions de %2 exemples (%3)&#xa0;; threads&#xa0;: %4, périphérique&#xa0;: %5. Masquer n’économise aucun calcul, retirer si.</translation>
    </message>
    <message>
        <source>The full model, the masked model and the model without the heads run in turn.</source>
        <translation>Le modèle complet, le modèle masqué et celui sans les têtes tournent à tour de rôle.</translation>
    </message>
</context>
<context>
    <name>headscope::ScatterChart</name>
    <message>
        <source>equal on both</source>
        <translation>égal sur les deux</translation>
    </message>
    <message>
        <source>%1: in-domain %2, out-of-domain %3</source>
        <translation>%1&#xa0;: dans le domaine %2, hors domaine %3</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1 undefined</source>
        <translation>%1 non défini</translation>
    </message>
    <message>
        <source>Scatter of the heads, in-domain against out-of-domain</source>
        <translation>Nuage de points des têtes, dans le domaine et hors domaine</translation>
    </message>
</context>
<context>
    <name>headscope::ScoreBar</name>
    <message>
        <source>Cancel</source>
        <translation>Arrêter</translation>
    </message>
    <message>
        <source>Stops this job; its partial results stay</source>
        <translation>Arrête cette tâche&#xa0;; ce qu’elle a trouvé jusqu’ici reste</translation>
    </message>
    <message>
        <source>Click to see all jobs</source>
        <translation>Cliquer pour voir toutes les tâches</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>Full model, %1:</source>
        <translation>Modèle complet, %1&#xa0;:</translation>
    </message>
    <message>
        <source>With these masks (%1), %2:</source>
        <translation>Avec ces masques (%1), %2&#xa0;:</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Prêt</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>arrêt en cours</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Δ %1 %2</source>
        <translation>Δ %1 %2</translation>
    </message>
    <message>
        <source>Δ %1</source>
        <translation>Δ %1</translation>
    </message>
    <message>
        <source>n %1</source>
        <translation>n %1</translation>
    </message>
    <message>
        <source>%1 of %2 so far</source>
        <translation>%1 sur %2 jusqu’ici</translation>
    </message>
    <message>
        <source>stopped at %1 of %2</source>
        <translation>arrêté à %1 sur %2</translation>
    </message>
    <message>
        <source>outdated</source>
        <translation>périmé</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 (paused)</source>
        <translation>%1 (en pause)</translation>
    </message>
</context>
<context>
    <name>headscope::SearchModel</name>
    <message>
        <source>%1 %</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 of the candidates</source>
        <translation>%1 des têtes pouvant être retirées</translation>
    </message>
    <message>
        <source>Rescaled layers: %1 of %2. A factor beyond 10 ends rescaling.</source>
        <translation>Couches remises à l’échelle&#xa0;: %1 sur %2. Un facteur supérieur à 10 met fin à la remise à l’échelle.</translation>
    </message>
    <message>
        <source>Multiply-adds of attention that are left, by the lengths of the examples that gradients come from</source>
        <translation>Multiplications-additions d’attention restantes, selon les longueurs des exemples dont viennent les gradients</translation>
    </message>
    <message>
        <source>Attention layers whose heads are scaled, of those that have any</source>
        <translation>Couches d’attention dont les têtes sont mises à l’échelle, parmi celles qui ont des têtes</translation>
    </message>
    <message>
        <source>Heads removed</source>
        <translation>Têtes retirées</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>Retirées</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Scaled</source>
        <translation>À l’échelle</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>inconnu</translation>
    </message>
    <message>
        <source>%1: %2 %3, 95 % interval %4; in brackets the difference from the full model, whose interval is %5</source>
        <translation>%1&#xa0;:&#xa0;%2&#xa0;%3, intervalle à 95&#xa0;%&#xa0;%4&#xa0;; entre crochets la différence avec le modèle complet, dont l’intervalle est&#xa0;%5</translation>
    </message>
</context>
<context>
    <name>headscope::SearchPage</name>
    <message>
        <source>Mask &amp;search now</source>
        <translation>Recherche de masque&amp;s maintenant</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>Rec&amp;herche</translation>
    </message>
    <message>
        <source>Scores of the masks that were found</source>
        <translation>Scores des masques trouvés</translation>
    </message>
    <message>
        <source>Heads that the chosen mask removes</source>
        <translation>Têtes que retire le masque choisi</translation>
    </message>
    <message>
        <source>Budgets of the search</source>
        <translation>Budgets de la recherche</translation>
    </message>
    <message>
        <source>Chosen mask</source>
        <translation>Masque choisi</translation>
    </message>
    <message>
        <source>Which mask of the budget</source>
        <translation>Quel masque du budget</translation>
    </message>
    <message>
        <source>&amp;Apply this mask</source>
        <translation>&amp;Appliquer ce masque</translation>
    </message>
    <message>
        <source>&amp;Compute</source>
        <translation>&amp;Calculer</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Recherche</translation>
    </message>
    <message>
        <source>%1 removed</source>
        <translation>retirées&#xa0;: %1</translation>
    </message>
    <message>
        <source>Choose a budget in the table first</source>
        <translation>Choisir d’abord un budget dans le tableau</translation>
    </message>
    <message>
        <source>Exactly these heads are masked already</source>
        <translation>Exactement ces têtes sont déjà masquées</translation>
    </message>
    <message>
        <source>Masks these heads and no others, as one step that can be undone</source>
        <translation>Masque ces têtes et aucune autre, en une seule étape que l’on peut annuler</translation>
    </message>
    <message>
        <source>%1 removed: %2 %3 (%4)</source>
        <translation>retirées&#xa0;: %1&#xa0;; %2 %3 (%4)</translation>
    </message>
    <message>
        <source>A mask does not contain the factors: applied, it scores like “%1”. headscope-cli search --out writes them.</source>
        <translation>Les facteurs ne font pas partie d’un masque&#xa0;: une fois appliqué, son score est celui de «&#xa0;%1&#xa0;». headscope-cli search --out les écrit.</translation>
    </message>
    <message>
        <source>mask of the search, %1</source>
        <translation>le masque de la recherche, %1</translation>
    </message>
    <message>
        <source>Gradients and scores need data with references or labels.</source>
        <translation>Les gradients et les scores nécessitent des données avec références ou étiquettes.</translation>
    </message>
    <message>
        <source>No model is open. Open a model folder to search for heads that it does not need.</source>
        <translation>Aucun modèle n’est ouvert. Ouvrir un dossier de modèle pour chercher les têtes dont il peut se passer.</translation>
    </message>
    <message>
        <source>No data set is open. Choose one, then press Compute.</source>
        <translation>Aucun jeu de données n’est ouvert. En choisir un, puis appuyer sur Calculer.</translation>
    </message>
    <message>
        <source>Computing: gradients first, then a mask for every budget, then their scores.</source>
        <translation>Calcul en cours&#xa0;: d’abord les gradients, puis un masque pour chaque budget, puis leurs scores.</translation>
    </message>
    <message>
        <source>Nothing has been searched yet. Press Compute: gradients select heads that can be removed together, and only the resulting masks are measured.</source>
        <translation>Rien n’a encore été cherché. Appuyer sur Calculer&#xa0;: les gradients indiquent quelles têtes peuvent être retirées ensemble, et seuls les masques trouvés sont mesurés.</translation>
    </message>
    <message>
        <source>, the data that are measured, which flatters the masks</source>
        <translation>, les données mesurées elles-mêmes, ce qui flatte les masques</translation>
    </message>
    <message>
        <source>Measuring: %1 of %2 examples so far. </source>
        <translation>Mesure&#xa0;: %1 exemples sur %2 jusqu’ici. </translation>
    </message>
    <message>
        <source>&lt;b&gt;Mask search&lt;/b&gt;, %1</source>
        <translation>&lt;b&gt;Recherche de masques&lt;/b&gt;, %1</translation>
    </message>
    <message>
        <source>Searches masks by these settings, and measures them on every data set</source>
        <translation>Cherche des masques selon ces réglages, et les mesure sur chaque jeu de données</translation>
    </message>
    <message>
        <source>Mask search, %1</source>
        <translation>Recherche de masques, %1</translation>
    </message>
    <message>
        <source>%1 of %2 on %3 (%4 examples) against heads removed, by masks from gradients alone (Kwon et al. 2022): bands are 95 % bootstrap intervals. %5</source>
        <translation>%1 de %2 sur %3 (%4 exemples) selon les têtes retirées, pour des masques tirés des gradients seuls (Kwon et al. 2022)&#xa0;: les bandes sont des intervalles bootstrap à 95&#xa0;%. %5</translation>
    </message>
    <message>
        <source>Heads that the search removes, %1</source>
        <translation>Têtes que retire la recherche, %1</translation>
    </message>
    <message>
        <source>%1 by the mask search (%2), crossed out. %3</source>
        <translation>%1 par la recherche de masques (%2), barrées. %3</translation>
    </message>
    <message>
        <source>Rearranged</source>
        <translation>Réarrangé</translation>
    </message>
    <message>
        <source>Rescaled</source>
        <translation>Remis à l’échelle</translation>
    </message>
    <message>
        <source>Removes the heads with the least Fisher information, each judged by itself</source>
        <translation>Les têtes de plus faible information de Fisher sont désactivées, chacune jugée seule</translation>
    </message>
    <message>
        <source>Removes as many heads per layer, but those that matter least together</source>
        <translation>Autant de têtes de chaque couche, mais celles qui ensemble comptent le moins</translation>
    </message>
    <message>
        <source>Removes the rearranged heads and scales the others so that each layer keeps its output</source>
        <translation>Les mêmes têtes qu’après réarrangement, et les têtes qui restent mises à l’échelle pour que chaque couche donne ce qu’elle donnait</translation>
    </message>
    <message>
        <source>full model, %1</source>
        <translation>modèle complet, %1</translation>
    </message>
    <message>
        <source>heads removed, of %1 candidates</source>
        <translation>têtes retirées, sur %1 pouvant l’être</translation>
    </message>
    <message>
        <source>Fisher information</source>
        <translation>Information de Fisher</translation>
    </message>
    <message>
        <source>Fisher</source>
        <translation>Fisher</translation>
    </message>
    <message>
        <source>% of all heads’ together</source>
        <translation>% du total de toutes les têtes</translation>
    </message>
    <message>
        <source>Stopped at %1 of %2 examples: Compute resumes there. </source>
        <translation>Arrêté à %1 exemples sur %2&#xa0;: Calculer continue à partir de là. </translation>
    </message>
    <message>
        <source>S&amp;horter…</source>
        <translation>Plus cou&amp;rt…</translation>
    </message>
    <message>
        <source>Settings and chosen mask</source>
        <translation>Réglages et masque choisi</translation>
    </message>
    <message>
        <source>Budgets</source>
        <translation>Budgets</translation>
    </message>
    <message>
        <source>Heads of %1 that can go: %2.</source>
        <translation>Têtes de&#xa0;%1 qui peuvent partir&#xa0;:&#xa0;%2.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;:&#xa0;%2</translation>
    </message>
    <message>
        <source>Gradients from %1 examples of %2%3.</source>
        <translation>Gradients de&#xa0;%1 exemples de&#xa0;%2%3.</translation>
    </message>
</context>
<context>
    <name>headscope::SearchSettings</name>
    <message>
        <source>From the &amp;other data set</source>
        <translation>Tirer de l’autre &amp;jeu</translation>
    </message>
    <message>
        <source>Candidates for removal</source>
        <translation>Têtes pouvant être retirées</translation>
    </message>
    <message>
        <source>10 % of them</source>
        <translation>10&#xa0;% d’entre elles</translation>
    </message>
    <message>
        <source> heads</source>
        <translation> têtes</translation>
    </message>
    <message>
        <source>Heads removed from one budget to the next</source>
        <translation>Têtes retirées d’un budget au suivant</translation>
    </message>
    <message>
        <source>Gradients and factors</source>
        <translation>Gradients et facteurs</translation>
    </message>
    <message>
        <source>all</source>
        <translation>tous</translation>
    </message>
    <message>
        <source>Examples that gradients and factors are taken from, drawn by the seed; 0 = all</source>
        <translation>Exemples dont sont tirés gradients et facteurs, choisis au hasard selon la graine&#xa0;; 0 = tous</translation>
    </message>
    <message>
        <source>Masks are searched on one data set and measured on the other, so that the search does not flatter them</source>
        <translation>Les masques sont cherchés sur un jeu de données et mesurés sur l’autre, pour que la recherche ne les flatte pas</translation>
    </message>
    <message>
        <source>&amp;Examples</source>
        <translation>&amp;Exemples</translation>
    </message>
    <message>
        <source>S&amp;tep</source>
        <translation>&amp;Pas</translation>
    </message>
    <message>
        <source>Choose at least one kind of attention whose heads may be removed.</source>
        <translation>Choisir au moins un type d’attention dont les têtes peuvent être retirées.</translation>
    </message>
</context>
<context>
    <name>headscope::SentenceList</name>
    <message>
        <source>Data set</source>
        <translation>Jeu de données</translation>
    </message>
    <message>
        <source>Order of the sentences</source>
        <translation>Ordre des phrases</translation>
    </message>
    <message>
        <source>in file order</source>
        <translation>ordre du fichier</translation>
    </message>
    <message>
        <source>shortest first</source>
        <translation>les plus courtes d’abord</translation>
    </message>
    <message>
        <source>longest first</source>
        <translation>les plus longues d’abord</translation>
    </message>
    <message>
        <source>Which sentences</source>
        <translation>Quelles phrases</translation>
    </message>
    <message>
        <source>Search sentences</source>
        <translation>Chercher des phrases</translation>
    </message>
    <message>
        <source>Sentences</source>
        <translation>Phrases</translation>
    </message>
    <message>
        <source>Search source, reference, output</source>
        <translation>Chercher source, référence, sortie</translation>
    </message>
    <message>
        <source>Search texts and labels</source>
        <translation>Chercher textes et étiquettes</translation>
    </message>
    <message>
        <source>all sentences</source>
        <translation>toutes les phrases</translation>
    </message>
    <message>
        <source>all examples</source>
        <translation>tous les exemples</translation>
    </message>
    <message>
        <source>wrong only (✗)</source>
        <translation>faux seulement (✗)</translation>
    </message>
    <message>
        <source>changed under the masks (≠)</source>
        <translation>modifiés sous les masques (≠)</translation>
    </message>
    <message>
        <source>No data set is open in this slot.</source>
        <translation>Aucun jeu de données n’est ouvert dans cet emplacement.</translation>
    </message>
    <message>
        <source>The data set could not be read: the study panel says why.</source>
        <translation>Le jeu de données n’a pas pu être lu&#xa0;: le panneau Étude dit pourquoi.</translation>
    </message>
    <message>
        <source>The data set is still being read.</source>
        <translation>Le jeu de données est en cours de lecture.</translation>
    </message>
    <message>
        <source>%1 of %2 examples</source>
        <translation>%1 exemples sur %2</translation>
    </message>
    <message>
        <source>, %1 wrong (✗)</source>
        <translation>, faux&#xa0;: %1 (✗)</translation>
    </message>
    <message>
        <source>not known yet how many have another output under the masks (≠)</source>
        <translation>on ne sait pas encore combien ont une autre sortie sous les masques (≠)</translation>
    </message>
    <message>
        <source>%1 with another output under the masks (≠)</source>
        <translation>%1 avec une autre sortie sous les masques (≠)</translation>
    </message>
    <message>
        <source>%1 of %2 so far with another output under the masks (≠)</source>
        <translation>%1 sur %2 jusqu’ici avec une autre sortie sous les masques (≠)</translation>
    </message>
    <message>
        <source>most changed by the masks first</source>
        <translation>les plus changées par les masques d’abord</translation>
    </message>
    <message>
        <source>largest loss first</source>
        <translation>plus grande perte d’abord</translation>
    </message>
    <message>
        <source>least certain output first</source>
        <translation>sortie la moins sûre d’abord</translation>
    </message>
    <message>
        <source>By −ln p of the model&apos;s own output, for each token</source>
        <translation>Selon −ln p de la sortie du modèle, par token</translation>
    </message>
    <message>
        <source>By −ln p of the right label</source>
        <translation>Selon −ln p de la bonne étiquette</translation>
    </message>
    <message>
        <source>By −ln p of the text, for each token</source>
        <translation>Selon −ln p du texte, par token</translation>
    </message>
</context>
<context>
    <name>headscope::SentenceModel</name>
    <message>
        <source>The masks change its output.</source>
        <translation>Les masques modifient sa sortie.</translation>
    </message>
    <message>
        <source>Its label is not the right one.</source>
        <translation>Son étiquette n’est pas la bonne.</translation>
    </message>
</context>
<context>
    <name>headscope::Shares</name>
    <message>
        <source>queries</source>
        <translation>requêtes</translation>
    </message>
    <message>
        <source>Largest weight, positions from the diagonal</source>
        <translation>Plus grand poids, positions depuis la diagonale</translation>
    </message>
    <message>
        <source>Largest weight, positions from the query</source>
        <translation>Plus grand poids, positions depuis la requête</translation>
    </message>
    <message>
        <source>by chance</source>
        <translation>au hasard</translation>
    </message>
    <message>
        <source>far</source>
        <translation>loin</translation>
    </message>
    <message>
        <source>Largest weight on the partner</source>
        <translation>Plus grand poids sur le partenaire</translation>
    </message>
    <message>
        <source>best fixed offset</source>
        <translation>meilleur décalage fixe</translation>
    </message>
    <message>
        <source>%1 → its head</source>
        <translation>%1 → son gouverneur</translation>
    </message>
    <message>
        <source>head → its %1</source>
        <translation>gouverneur → son %1</translation>
    </message>
    <message>
        <source>%1: %2, %3 of %4</source>
        <translation>%1&#xa0;: %2, %3 sur %4</translation>
    </message>
    <message>
        <source>; %1 %2</source>
        <translation>&#xa0;; %1 %2</translation>
    </message>
    <message>
        <source>; too few to tell</source>
        <translation>&#xa0;; trop peu pour conclure</translation>
    </message>
</context>
<context>
    <name>headscope::Sharing</name>
    <message>
        <source>shared by all heads</source>
        <translation>partagées par toutes les têtes</translation>
    </message>
    <message>
        <source>heads by themselves</source>
        <translation>têtes à part</translation>
    </message>
    <message>
        <source>heads removed</source>
        <translation>têtes retirées</translation>
    </message>
    <message>
        <source>heads removed, then %1</source>
        <translation>têtes retirées, puis %1</translation>
    </message>
    <message>
        <source>%1, then heads removed</source>
        <translation>%1, puis têtes retirées</translation>
    </message>
    <message>
        <source>%1, on %2</source>
        <translation>%1, sur %2</translation>
    </message>
    <message>
        <source>as it is</source>
        <translation>tel quel</translation>
    </message>
    <message>
        <source>columns of the query and key projections</source>
        <translation>colonnes des projections de requêtes et de clés</translation>
    </message>
    <message numerus="yes">
        <source>%n head(s) removed</source>
        <translation>
            <numerusform>%n tête retirée</numerusform>
            <numerusform>%n têtes retirées</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n column(s), %1</source>
        <translation>
            <numerusform>%n colonne, %1</numerusform>
            <numerusform>%n colonnes, %1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, then %2</source>
        <translation>%1, puis %2</translation>
    </message>
    <message>
        <source>Pareto front</source>
        <translation>front de Pareto</translation>
    </message>
    <message>
        <source>%1: %2 %3, %4 parameters</source>
        <translation>%1&#xa0;: %2 %3, %4 paramètres</translation>
    </message>
    <message>
        <source>parameters (million)</source>
        <translation>paramètres (millions)</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>paramètres</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 sur %2</translation>
    </message>
</context>
<context>
    <name>headscope::SharingPage</name>
    <message>
        <source>Fewer columns</source>
        <translation>Moins de colonnes</translation>
    </message>
    <message>
        <source>Fewer heads, too</source>
        <translation>Moins de têtes aussi</translation>
    </message>
    <message>
        <source>Score by parameters, with projections shared, heads removed, and both in either order</source>
        <translation>Score selon les paramètres, avec projections partagées, têtes retirées, et les deux dans un ordre ou l’autre</translation>
    </message>
    <message>
        <source>S&amp;haring</source>
        <translation>&amp;Partage</translation>
    </message>
    <message>
        <source>&amp;Compute</source>
        <translation>&amp;Calculer</translation>
    </message>
    <message>
        <source>Scale of the &amp;published code</source>
        <translation>Échelle du code pu&amp;blié</translation>
    </message>
    <message>
        <source>Divides scores by the root of the shared width by the number of heads, which is not what the heads were trained with</source>
        <translation>Divise les scores par la racine de la largeur partagée divisée par le nombre de têtes, ce qui n’est pas l’échelle de l’entraînement des têtes</translation>
    </message>
    <message>
        <source>Score by columns of the query and key projections</source>
        <translation>Score selon le nombre de colonnes des projections de requêtes et de clés</translation>
    </message>
    <message>
        <source>Columns of the shared projections</source>
        <translation>Colonnes des projections partagées</translation>
    </message>
    <message>
        <source>Energy of the projections by dimensions</source>
        <translation>Énergie des projections selon les dimensions</translation>
    </message>
    <message>
        <source>Attention whose columns are shown</source>
        <translation>Attention dont les colonnes sont affichées</translation>
    </message>
    <message>
        <source>Compute &amp;with fewer heads</source>
        <translation>Calculer avec &amp;moins de têtes</translation>
    </message>
    <message>
        <source>Score by parameters</source>
        <translation>Score selon les paramètres</translation>
    </message>
    <message>
        <source>Score by parameters on the other data set</source>
        <translation>Score selon les paramètres sur l’autre jeu de données</translation>
    </message>
    <message>
        <source>%1, layer %2</source>
        <translation>%1, couche %2</translation>
    </message>
    <message>
        <source>Move the slider to a number of columns to see its results here.</source>
        <translation>Déplacer le curseur jusqu’à un nombre de colonnes&#xa0;: ce qui y a été calculé s’affiche ici.</translation>
    </message>
    <message>
        <source>%1 of %2 columns</source>
        <translation>%1 colonnes sur %2</translation>
    </message>
    <message>
        <source>the model as it is</source>
        <translation>le modèle tel quel</translation>
    </message>
    <message>
        <source>being computed</source>
        <translation>calcul en cours</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>pas encore mesuré</translation>
    </message>
    <message>
        <source>%1 %2 (%3)</source>
        <translation>%1 %2 (%3)</translation>
    </message>
    <message>
        <source>%1 on the other data set</source>
        <translation>%1 sur l’autre jeu de données</translation>
    </message>
    <message>
        <source>query and key projections %1 times smaller</source>
        <translation>projections de requêtes et de clés %1 fois plus petites</translation>
    </message>
    <message>
        <source>attention scores change by %1 %</source>
        <translation>les scores varient de %1&#xa0;% de leur valeur</translation>
    </message>
    <message>
        <source>Scores need data with references or labels.</source>
        <translation>Les scores nécessitent des données avec références ou étiquettes.</translation>
    </message>
    <message>
        <source>No model is open. Open a model to see how many query and key dimensions it needs.</source>
        <translation>Aucun modèle n’est ouvert. Ouvrir un modèle pour voir de combien de dimensions de requêtes et de clés il a besoin.</translation>
    </message>
    <message>
        <source>No data set is open. Choose one, then press Compute.</source>
        <translation>Aucun jeu de données n’est ouvert. En choisir un, puis appuyer sur Calculer.</translation>
    </message>
    <message>
        <source>Computing: the projections are factorized, then the model is scored with them.</source>
        <translation>Calcul en cours&#xa0;: les projections sont factorisées, puis le modèle est évalué avec elles.</translation>
    </message>
    <message>
        <source>Nothing has been computed yet. Press Compute for four widths, or move the slider to one.</source>
        <translation>Rien n’a encore été calculé. Appuyer sur Calculer pour quatre largeurs, ou déplacer le curseur sur l’une d’elles.</translation>
    </message>
    <message>
        <source>99 % of the energy of the heads&apos; product takes %1 % of the dimensions (random numbers: %2 %; the paper: a third).</source>
        <translation>99&#xa0;% de l’énergie du produit des têtes tient dans %1&#xa0;% des dimensions (nombres aléatoires&#xa0;: %2&#xa0;%&#xa0;; l’article&#xa0;: un tiers).</translation>
    </message>
    <message>
        <source>&lt;b&gt;Projections that heads share&lt;/b&gt;, %1</source>
        <translation>&lt;b&gt;Projections que partagent les têtes&lt;/b&gt;, %1</translation>
    </message>
    <message>
        <source>Compute also measures how many dimensions the projections use.</source>
        <translation>Calculer indique aussi combien de dimensions utilisent les projections.</translation>
    </message>
    <message>
        <source>3/4, 1/2, 1/3 and 1/6 of the columns: shared by all heads, and of heads by themselves</source>
        <translation>3/4, 1/2, 1/3 et 1/6 des colonnes&#xa0;: partagées par toutes les têtes, et de têtes à part</translation>
    </message>
    <message>
        <source>Widths as above, shared by all heads, with the least important quarter and half of the heads removed, before sharing and after it</source>
        <translation>Les mêmes largeurs partagées par toutes les têtes, avec un quart et la moitié des têtes retirées&#xa0;: les moins importantes, avant le partage et après</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Shared projections</source>
        <translation>Projections partagées</translation>
    </message>
    <message>
        <source>%1 over the columns of query and key projections (Cordonnier et al. 2020).</source>
        <translation>%1 selon les colonnes des projections de requêtes et de clés (Cordonnier et al. 2020).</translation>
    </message>
    <message>
        <source>%1 over parameters: projections shared, heads removed, and both.</source>
        <translation>%1 selon les paramètres&#xa0;: projections partagées, têtes retirées, et les deux.</translation>
    </message>
    <message>
        <source>Energy of projections</source>
        <translation>Énergie des projections</translation>
    </message>
    <message>
        <source>Share of the energy over the share of dimensions, mean over attentions.</source>
        <translation>Part de l’énergie selon la part des dimensions, moyenne sur les attentions.</translation>
    </message>
    <message>
        <source>Mixing matrix, %1</source>
        <translation>Matrice de mélange, %1</translation>
    </message>
    <message>
        <source>Energy and columns</source>
        <translation>Énergie et colonnes</translation>
    </message>
    <message>
        <source>Costs</source>
        <translation>Coûts</translation>
    </message>
    <message>
        <source>Parameters, multiply-adds and time of the factorization</source>
        <translation>Paramètres, multiplications-additions et durée de la factorisation</translation>
    </message>
    <message>
        <source>&amp;Save shared model…</source>
        <translation>&amp;Enregistrer le modèle partagé…</translation>
    </message>
    <message>
        <source>Costs of models with shared projections</source>
        <translation>Coûts des modèles à projections partagées</translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation>Ouvrez d’abord un modèle.</translation>
    </message>
    <message>
        <source>Move the slider to fewer columns than the model has.</source>
        <translation>Déplacez le curseur vers moins de colonnes que le modèle n’en a.</translation>
    </message>
    <message>
        <source>New folder for the model with shared projections</source>
        <translation>Nouveau dossier pour le modèle à projections partagées</translation>
    </message>
    <message>
        <source>The model with shared projections was written to %1.</source>
        <translation>Le modèle à projections partagées a été écrit dans %1.</translation>
    </message>
    <message>
        <source>Writes a copy of the model whose heads share the slider&apos;s number of columns; Headscope opens it like any other</source>
        <translation>Écrit une copie du modèle dont les têtes partagent le nombre de colonnes du curseur&#x202f;; Headscope l’ouvre comme tout autre modèle</translation>
    </message>
    <message>
        <source>Costs of sharing, %1</source>
        <translation>Coûts du partage, %1</translation>
    </message>
    <message>
        <source>Parameters, multiply-adds of the scores and time of the factorization by shared columns (Cordonnier et al. 2020).</source>
        <translation>Paramètres, multiplications-additions des scores et durée de la factorisation selon les colonnes partagées (Cordonnier et al. 2020).</translation>
    </message>
    <message>
        <source>How much the heads of %1 use each of %2 shared columns.</source>
        <translation>À quel point les têtes (%1) utilisent chacune des %2 colonnes partagées.</translation>
    </message>
</context>
<context>
    <name>headscope::SideDock</name>
    <message>
        <source>Open: %1</source>
        <translation>Ouvrir : %1</translation>
    </message>
    <message>
        <source>Fold: %1</source>
        <translation>Replier : %1</translation>
    </message>
    <message>
        <source>%1: click to open it (%2)</source>
        <translation>%1 : un clic l’ouvre (%2)</translation>
    </message>
    <message>
        <source>Folds it to a narrow strip (%1)</source>
        <translation>Le replie en une bande étroite (%1)</translation>
    </message>
</context>
<context>
    <name>headscope::Significance</name>
    <message>
        <source>not adjusted</source>
        <translation>sans ajustement</translation>
    </message>
    <message>
        <source>Holm</source>
        <translation>Holm</translation>
    </message>
    <message>
        <source>Benjamini–Hochberg</source>
        <translation>Benjamini–Hochberg</translation>
    </message>
    <message>
        <source>p ≤ %1, %2</source>
        <translation>p ≤ %1, %2</translation>
    </message>
    <message>
        <source>p &gt; %1, %2</source>
        <translation>p &gt; %1, %2</translation>
    </message>
</context>
<context>
    <name>headscope::SlotResults</name>
    <message>
        <source>score</source>
        <translation>score</translation>
    </message>
    <message>
        <source>score with masks</source>
        <translation>score avec masques</translation>
    </message>
    <message>
        <source>ablation</source>
        <translation>ablation</translation>
    </message>
    <message>
        <source>one head a layer</source>
        <translation>une tête par couche</translation>
    </message>
    <message>
        <source>importance</source>
        <translation>importance</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>confiance</translation>
    </message>
    <message>
        <source>roles</source>
        <translation>rôles</translation>
    </message>
    <message>
        <source>relevance</source>
        <translation>pertinence</translation>
    </message>
    <message>
        <source>mask search</source>
        <translation>recherche de masques</translation>
    </message>
    <message>
        <source>similarity</source>
        <translation>similarité</translation>
    </message>
    <message>
        <source>gradients of attention</source>
        <translation>gradients de l’attention</translation>
    </message>
    <message>
        <source>heads over training</source>
        <translation>évolution des têtes</translation>
    </message>
    <message>
        <source>energy of projections</source>
        <translation>énergie des projections</translation>
    </message>
    <message>
        <source>shared projections</source>
        <translation>projections partagées</translation>
    </message>
    <message>
        <source>pruning</source>
        <translation>élagage</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>attention</translation>
    </message>
    <message>
        <source>another result</source>
        <translation>autre résultat</translation>
    </message>
    <message>
        <source>patching</source>
        <translation>patching</translation>
    </message>
    <message>
        <source>contributions of tokens</source>
        <translation>contributions des tokens</translation>
    </message>
    <message>
        <source>Shapley values</source>
        <translation>valeurs de Shapley</translation>
    </message>
    <message>
        <source>ablation of key groups</source>
        <translation>ablation de groupes de clés</translation>
    </message>
    <message>
        <source>gates of heads</source>
        <translation>portes des têtes</translation>
    </message>
    <message>
        <source>heads that an example needs</source>
        <translation>têtes nécessaires à un exemple</translation>
    </message>
    <message>
        <source>what takes over</source>
        <translation>ce qui prend le relais</translation>
    </message>
    <message>
        <source>importance of key groups</source>
        <translation>importance de groupes de clés</translation>
    </message>
    <message>
        <source>confidence of key groups</source>
        <translation>confiance de groupes de clés</translation>
    </message>
    <message>
        <source>Shapley values of key groups</source>
        <translation>valeurs de Shapley de groupes de clés</translation>
    </message>
    <message>
        <source>windowed heads</source>
        <translation>têtes avec fenêtre</translation>
    </message>
    <message>
        <source>interactions</source>
        <translation>interactions</translation>
    </message>
    <message>
        <source>heads on repeated tokens</source>
        <translation>têtes sur des tokens répétés</translation>
    </message>
    <message>
        <source>weights of heads</source>
        <translation>poids des têtes</translation>
    </message>
    <message>
        <source>tokens of heads</source>
        <translation>tokens des têtes</translation>
    </message>
    <message>
        <source>function vectors</source>
        <translation>vecteurs de fonction</translation>
    </message>
    <message>
        <source>paths between heads</source>
        <translation>chemins entre têtes</translation>
    </message>
    <message>
        <source>retrieval heads</source>
        <translation>têtes de récupération</translation>
    </message>
</context>
<context>
    <name>headscope::SmallGrid</name>
    <message>
        <source>Arrow keys move, Enter enlarges the grid.</source>
        <translation>Les flèches déplacent, Entrée agrandit.</translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <translation>%1&#xa0;: %2 %3</translation>
    </message>
    <message>
        <source>not computed yet</source>
        <translation>pas encore calculé</translation>
    </message>
    <message>
        <source>%1. Click to enlarge.</source>
        <translation>%1. Cliquer pour agrandir.</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
</context>
<context>
    <name>headscope::SmallHeatMap</name>
    <message>
        <source>Attention of the selected head on one sentence</source>
        <translation>Attention de la tête sélectionnée sur une phrase</translation>
    </message>
    <message>
        <source>%1 × %2 tokens. Space or Enter shows them on the page Attention.</source>
        <translation>%1 × %2 tokens. Espace ou Entrée les affiche à la page Attention.</translation>
    </message>
</context>
<context>
    <name>headscope::SpeedModel</name>
    <message>
        <source>similar lengths</source>
        <translation>longueurs voisines</translation>
    </message>
    <message>
        <source>as they come</source>
        <translation>comme ils viennent</translation>
    </message>
    <message>
        <source>one length</source>
        <translation>une seule longueur</translation>
    </message>
    <message>
        <source>%1 examples in batches of %2 (%3)</source>
        <translation>%1 exemples par lots de %2 (%3)</translation>
    </message>
    <message>
        <source>Examples per second without the heads, compared with the full model in the same repeat: median %1 %, middle half %2 % to %3 %</source>
        <translation>Exemples par seconde sans les têtes, par rapport au modèle complet dans la même répétition&#xa0;: médiane %1&#xa0;%, moitié centrale %2&#xa0;% à %3&#xa0;%</translation>
    </message>
    <message numerus="yes">
        <source>%n repeat(s): median %1 examples/s, middle half %2 to %3; %4 %5 per second</source>
        <translation>
            <numerusform>%n répétition&#xa0;: médiane %1 exemples/s, moitié centrale %2 à %3&#xa0;; %4 %5 par seconde</numerusform>
            <numerusform>%n répétitions&#xa0;: médiane %1 exemples/s, moitié centrale %2 à %3&#xa0;; %4 %5 par seconde</numerusform>
        </translation>
    </message>
    <message>
        <source>generated tokens</source>
        <translation>tokens générés</translation>
    </message>
    <message>
        <source>input tokens</source>
        <translation>tokens d’entrée</translation>
    </message>
    <message>
        <source>; %1 beside the weights</source>
        <translation>&#xa0;; %1 en plus des poids</translation>
    </message>
    <message>
        <source>Examples per second: mean and standard deviation over the repeats</source>
        <translation>Exemples par seconde&#xa0;: moyenne et écart type sur les répétitions</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Lot</translation>
    </message>
    <message>
        <source>Whole, ex./s</source>
        <translation>Complet, ex./s</translation>
    </message>
    <message>
        <source>Masked, ex./s</source>
        <translation>Masqué, ex./s</translation>
    </message>
    <message>
        <source>Removed, ex./s</source>
        <translation>Retiré, ex./s</translation>
    </message>
    <message>
        <source>Gain</source>
        <translation>Gain</translation>
    </message>
</context>
<context>
    <name>headscope::StaleStrip</name>
    <message>
        <source>Compute again</source>
        <translation>Recalculer</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Écarter</translation>
    </message>
    <message>
        <source>Removes the outdated results; undo brings them back</source>
        <translation>Retire les résultats périmés&#xa0;; Annuler les rétablit</translation>
    </message>
    <message>
        <source>Computes these results anew, with the same options</source>
        <translation>Recalcule ces résultats, avec les mêmes options</translation>
    </message>
    <message>
        <source>%1 (both data sets)</source>
        <translation>%1 (deux jeux de données)</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Outdated, since these have changed: %1. Affected: %2.</source>
        <translation>Périmé, car ceci a changé&#xa0;: %1. Concerné&#xa0;: %2.</translation>
    </message>
</context>
<context>
    <name>headscope::StartPage</name>
    <message>
        <source>Recent</source>
        <translation>Récents</translation>
    </message>
    <message>
        <source>Which attention heads does your model need?</source>
        <translation>De quelles têtes d’attention votre modèle a-t-il besoin&#xa0;?</translation>
    </message>
    <message>
        <source>Open a trained translation model, text classifier or language model and one or two data sets: Headscope removes every head in turn, measures the loss, and lets you mask, prune and explore.</source>
        <translation>Ouvrir un modèle entraîné (traduction, classification de textes ou langue) et un ou deux jeux de données&#xa0;: Headscope retire chaque tête à son tour, mesure la perte, et permet de masquer, d’élaguer et d’examiner.</translation>
    </message>
    <message>
        <source>or drop a model folder, a study, a table or two parallel text files anywhere in this window</source>
        <translation>ou déposer un dossier de modèle, une étude, un tableau ou deux fichiers texte parallèles n’importe où dans cette fenêtre</translation>
    </message>
    <message>
        <source>Recent models and studies</source>
        <translation>Modèles et études récents</translation>
    </message>
    <message>
        <source>Open the &amp;demo</source>
        <translation>Ouvrir la &amp;démo</translation>
    </message>
    <message>
        <source>Open &amp;model folder…</source>
        <translation>Ouvrir un dossier de &amp;modèle…</translation>
    </message>
    <message>
        <source>A Hugging Face folder with config.json, weights and tokenizer files</source>
        <translation>Un dossier Hugging Face avec config.json, les poids et les fichiers du tokenizer</translation>
    </message>
    <message>
        <source>Open &amp;study…</source>
        <translation>Ouvrir une é&amp;tude…</translation>
    </message>
    <message>
        <source>A saved study (.headscope) with its results</source>
        <translation>Une étude enregistrée (.headscope) avec ses résultats</translation>
    </message>
    <message>
        <source>&amp;Train a model…</source>
        <translation>&amp;Entraîner un modèle…</translation>
    </message>
    <message>
        <source>&amp;Continue where you left off</source>
        <translation>&amp;Reprendre où vous en étiez</translation>
    </message>
    <message>
        <source>From two parallel text files or a table of labelled texts; every epoch can be studied</source>
        <translation>À partir de deux fichiers texte parallèles ou d’un tableau de textes étiquetés&#xa0;; chaque époque peut être étudiée</translation>
    </message>
    <message>
        <source>A small English–French model trained by Headscope itself, with its main results</source>
        <translation>Un petit modèle anglais–français entraîné par Headscope lui-même, avec ses principaux résultats</translation>
    </message>
    <message>
        <source>Open the c&amp;lassifier demo</source>
        <translation>Ouvrir la démo de c&amp;lassification</translation>
    </message>
    <message>
        <source>It says how many objects the main verb of a sentence has</source>
        <translation>Elle dit combien d’objets a le verbe principal d’une phrase</translation>
    </message>
    <message>
        <source>Open the pro&amp;nunciation demo</source>
        <translation>Ouvrir la démo de pro&amp;nonciation</translation>
    </message>
    <message>
        <source>How a village says a word: with a positional head and one for rare words</source>
        <translation>Comment un village dit un mot&#xa0;: avec une tête positionnelle et une tête des mots rares</translation>
    </message>
    <message>
        <source>%1: not saved (%2). More under File &gt; Recover</source>
        <translation>%1 : non enregistrée (%2). Davantage sous Fichier &gt; Récupérer</translation>
    </message>
</context>
<context>
    <name>headscope::StudyComparison</name>
    <message>
        <source>&amp;Compare</source>
        <translation>&amp;Comparer</translation>
    </message>
    <message>
        <source>Head by &amp;head:</source>
        <translation>&amp;Tête par tête :</translation>
    </message>
    <message>
        <source>First study</source>
        <translation>Première étude</translation>
    </message>
    <message>
        <source>Second study</source>
        <translation>Seconde étude</translation>
    </message>
    <message>
        <source>Scatter of the heads of two studies</source>
        <translation>Nuage de points des têtes de deux études</translation>
    </message>
    <message>
        <source>Choose two studies of one model, or of checkpoints of one architecture: every head is a point, with its value in the one and in the other.</source>
        <translation>Choisissez deux études d’un modèle, ou de points de contrôle d’une même architecture : chaque tête est un point, avec sa valeur dans l’une et dans l’autre.</translation>
    </message>
    <message>
        <source>The values of every head in both studies</source>
        <translation>Les valeurs de chaque tête dans les deux études</translation>
    </message>
    <message>
        <source>Choose two different studies</source>
        <translation>Choisissez deux études différentes</translation>
    </message>
    <message>
        <source>Compare %1 with %2</source>
        <translation>Comparer %1 avec %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>%1, %2 and %3</source>
        <translation>%1, %2 et %3</translation>
    </message>
    <message>
        <source>%1 of every head in %2 against %3. %4. Dashed: equal in both.</source>
        <translation>%1 de chaque tête dans %2 contre %3. %4. Tirets : égal dans les deux.</translation>
    </message>
</context>
<context>
    <name>headscope::StudyController</name>
    <message>
        <source>Pruning by %1</source>
        <translation>Élagage, ordre&#xa0;: %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>Ouvrir %1</translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation>Ouvrir d’abord un modèle.</translation>
    </message>
    <message>
        <source>The model is still being read.</source>
        <translation>Le modèle est en cours de lecture.</translation>
    </message>
    <message>
        <source>The model could not be read: the study panel says why. Open it again.</source>
        <translation>Le modèle n’a pas pu être lu&#xa0;: le panneau Étude dit pourquoi. L’ouvrir à nouveau.</translation>
    </message>
    <message>
        <source>Choose a data set first.</source>
        <translation>Choisir d’abord un jeu de données.</translation>
    </message>
    <message>
        <source>The data could not be read: the study panel says why. Choose them again.</source>
        <translation>Les données n’ont pas pu être lues&#xa0;: le panneau Étude dit pourquoi. Les choisir à nouveau.</translation>
    </message>
    <message>
        <source>The data are still being read.</source>
        <translation>Les données sont en cours de lecture.</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>The heads of this model cannot be judged by %1. %2 is used instead; available: %3.</source>
        <translation>Les têtes de ce modèle ne peuvent pas être jugées par %1. %2 est utilisé&#xa0;; disponibles&#xa0;: %3.</translation>
    </message>
    <message>
        <source>Read %1 data</source>
        <translation>Lire les données %1</translation>
    </message>
    <message>
        <source>choose data</source>
        <translation>le choix des données</translation>
    </message>
    <message>
        <source>remove data</source>
        <translation>le retrait des données</translation>
    </message>
    <message>
        <source>open study</source>
        <translation>l’ouverture de l’étude</translation>
    </message>
    <message>
        <source>%1 has changed (%2). The results shown are of the old model.</source>
        <translation>%1 est maintenant un autre modèle (changé&#xa0;: %2). Ce qui est affiché vient de l’ancien.</translation>
    </message>
    <message>
        <source>Check files of results</source>
        <translation>Vérifier les fichiers des résultats</translation>
    </message>
    <message>
        <source>discard outdated results</source>
        <translation>la mise à l’écart des résultats périmés</translation>
    </message>
    <message>
        <source>%1, without %2</source>
        <translation>%1, sans %2</translation>
    </message>
    <message>
        <source>McNemar&apos;s test</source>
        <translation>Test de McNemar</translation>
    </message>
    <message>
        <source>Places in texts</source>
        <translation>Endroits dans les textes</translation>
    </message>
    <message>
        <source>Probes</source>
        <translation>Sondes</translation>
    </message>
</context>
<context>
    <name>headscope::StudyFiles</name>
    <message>
        <source>Open %1</source>
        <translation>Ouvrir %1</translation>
    </message>
    <message>
        <source>Cannot save %1: it is open in another window of Headscope (%2). Choose another name.</source>
        <translation>Impossible d’enregistrer %1&#xa0;: l’étude est ouverte dans une autre fenêtre de Headscope (%2). Choisir un autre nom.</translation>
    </message>
    <message>
        <source>Save %1</source>
        <translation>Enregistrer %1</translation>
    </message>
    <message>
        <source>%1 is open in another window of Headscope.</source>
        <translation>%1 est ouvert dans une autre fenêtre de Headscope.</translation>
    </message>
    <message>
        <source>%1 is open in another window of Headscope (%2). This is a copy of it as it was saved last: save it under another name.</source>
        <translation>%1 est ouvert dans une autre fenêtre de Headscope (%2). Ceci est une copie du dernier enregistrement&#xa0;: l’enregistrer sous un autre nom.</translation>
    </message>
    <message>
        <source>Clean up autosaved studies</source>
        <translation>Ranger les études conservées</translation>
    </message>
    <message>
        <source>Demo</source>
        <translation>Démo</translation>
    </message>
    <message>
        <source>Keep results</source>
        <translation>Conserver les résultats</translation>
    </message>
    <message>
        <source>process %1 on %2; if it is gone, delete %3</source>
        <translation>processus %1 sur %2&#xa0;; s’il n’existe plus, supprimer %3</translation>
    </message>
    <message>
        <source>Tidy kept work</source>
        <translation>Ranger les travaux conservés</translation>
    </message>
    <message>
        <source>Pack %1</source>
        <translation>Empaqueter %1</translation>
    </message>
    <message>
        <source>Unpack %1</source>
        <translation>Dépaqueter %1</translation>
    </message>
    <message>
        <source>The study&apos;s model is not on this machine. The file says that a command reaches it, and commands of files are not run: %1. If you trust it, type it into File ▸ Open on another machine.</source>
        <translation>Le modèle de l’étude n’est pas sur cette machine. Le fichier dit qu’une commande y mène, et les commandes des fichiers ne sont pas lancées&#xa0;:&#xa0;%1. Si vous lui faites confiance, tapez-la dans Fichier&#xa0;▸ Ouvrir sur une autre machine.</translation>
    </message>
    <message>
        <source>The study&apos;s model is on another machine, which was not asked: %1. File ▸ Open on another machine reaches it.</source>
        <translation>Le modèle de l’étude est sur une autre machine, qui n’a pas été sollicitée&#xa0;:&#xa0;%1. Fichier&#xa0;▸ Ouvrir sur une autre machine y mène.</translation>
    </message>
</context>
<context>
    <name>headscope::StudyPanel</name>
    <message>
        <source>greedy</source>
        <translation>glouton</translation>
    </message>
    <message>
        <source>%1 beams</source>
        <translation>%1 faisceaux</translation>
    </message>
    <message>
        <source>length penalty %1</source>
        <translation>pénalité de longueur %1</translation>
    </message>
    <message numerus="yes">
        <source>at most %Ln tokens</source>
        <translation>
            <numerusform>au plus %Ln token</numerusform>
            <numerusform>au plus %Ln tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>just now</source>
        <translation>à l’instant</translation>
    </message>
    <message numerus="yes">
        <source>%n min ago</source>
        <translation>
            <numerusform>il y a %n min</numerusform>
            <numerusform>il y a %n min</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n h ago</source>
        <translation>
            <numerusform>il y a %n h</numerusform>
            <numerusform>il y a %n h</numerusform>
        </translation>
    </message>
    <message>
        <source>Study</source>
        <translation>Étude</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Ouvrir…</translation>
    </message>
    <message>
        <source>In-domain data</source>
        <translation>Données dans le domaine</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Choisir…</translation>
    </message>
    <message>
        <source>Out-of-domain data</source>
        <translation>Données hors domaine</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Retirer</translation>
    </message>
    <message>
        <source>%1: remove</source>
        <translation>%1&#xa0;: retirer</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Résultats</translation>
    </message>
    <message>
        <source>Computed results</source>
        <translation>Résultats calculés</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>Copier la commande</translation>
    </message>
    <message>
        <source>Copies the command line that computes the selected result</source>
        <translation>Copie la ligne de commande qui calcule le résultat sélectionné</translation>
    </message>
    <message>
        <source>No model is open.</source>
        <translation>Aucun modèle n’est ouvert.</translation>
    </message>
    <message>
        <source>family</source>
        <translation>famille</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>têtes</translation>
    </message>
    <message>
        <source>layers × heads</source>
        <translation>couches × têtes</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>paramètres</translation>
    </message>
    <message>
        <source>width</source>
        <translation>largeur</translation>
    </message>
    <message>
        <source>says</source>
        <translation>dit</translation>
    </message>
    <message>
        <source>labels</source>
        <translation>étiquettes</translation>
    </message>
    <message>
        <source>generation</source>
        <translation>génération</translation>
    </message>
    <message>
        <source>here</source>
        <translation>ici</translation>
    </message>
    <message>
        <source>runs on</source>
        <translation>tourne sur</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1, %2 on %3</source>
        <translation>%1, %2 sur %3</translation>
    </message>
    <message>
        <source>examples</source>
        <translation>exemples</translation>
    </message>
    <message numerus="yes">
        <source>%Ln text pairs</source>
        <translation>
            <numerusform>%Ln paire de textes</numerusform>
            <numerusform>%Ln paires de textes</numerusform>
        </translation>
    </message>
    <message>
        <source>mean length</source>
        <translation>longueur moyenne</translation>
    </message>
    <message>
        <source>%1 words</source>
        <translation>%1 mots</translation>
    </message>
    <message>
        <source>trees</source>
        <translation>arbres</translation>
    </message>
    <message>
        <source>with the texts</source>
        <translation>avec les textes</translation>
    </message>
    <message>
        <source>references</source>
        <translation>références</translation>
    </message>
    <message>
        <source>none: no scores</source>
        <translation>aucune&#xa0;: pas de score</translation>
    </message>
    <message>
        <source>Nothing computed yet.</source>
        <translation>Rien de calculé pour l’instant.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Continuer</translation>
    </message>
    <message>
        <source>“Resume” computes the rest.</source>
        <translation>«&#xa0;Continuer&#xa0;» calcule le reste.</translation>
    </message>
    <message>
        <source>%1 examples, %2 s</source>
        <translation>%1 exemples, %2 s</translation>
    </message>
    <message>
        <source>%1 of %2 examples</source>
        <translation>%1 exemples sur %2</translation>
    </message>
    <message>
        <source>Computes the rest of the selected result</source>
        <translation>Calcule le reste du résultat choisi</translation>
    </message>
    <message>
        <source>Select a result that was stopped</source>
        <translation>Choisir un résultat qui a été arrêté</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Arrêter</translation>
    </message>
    <message>
        <source>Remove what there is of it</source>
        <translation>Retirer ce qu’il y en a</translation>
    </message>
    <message>
        <source>%1: details</source>
        <translation>%1 : détails</translation>
    </message>
    <message>
        <source>Shows or hides details</source>
        <translation>Affiche ou masque les détails</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Demo model</source>
        <translation>Modèle de démo</translation>
    </message>
    <message>
        <source>No in-domain data</source>
        <translation>Pas de données dans le domaine</translation>
    </message>
    <message>
        <source>No out-of-domain data</source>
        <translation>Pas de données hors domaine</translation>
    </message>
    <message>
        <source>Choose data at the right of this line, or drop files into the window.</source>
        <translation>Choisissez des données à droite de cette ligne, ou déposez des fichiers dans la fenêtre.</translation>
    </message>
    <message>
        <source>In: %1 · %2</source>
        <translation>Domaine : %1 · %2</translation>
    </message>
    <message>
        <source>Out: %1 · %2</source>
        <translation>Hors : %1 · %2</translation>
    </message>
    <message>
        <source>data set</source>
        <translation>jeu de données</translation>
    </message>
    <message>
        <source>○ compute</source>
        <translation>○ calculer</translation>
    </message>
    <message>
        <source>Not computed. A click opens its page; the menu of the right button computes it.</source>
        <translation>Pas calculé. Un clic ouvre sa page ; le menu du bouton droit le calcule.</translation>
    </message>
    <message>
        <source>not computed</source>
        <translation>pas calculé</translation>
    </message>
    <message>
        <source>✓ %1</source>
        <translation>✓ %1</translation>
    </message>
    <message>
        <source>A click shows it.</source>
        <translation>Un clic l’affiche.</translation>
    </message>
    <message>
        <source>There is nothing of it yet</source>
        <translation>Il n’y en a encore rien</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Afficher</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Calculer</translation>
    </message>
    <message>
        <source>Compute again</source>
        <translation>Recalculer</translation>
    </message>
    <message>
        <source>It is being computed: stop it first</source>
        <translation>Le calcul est en cours : arrêtez-le d’abord</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Supprimer</translation>
    </message>
    <message>
        <source>Show file</source>
        <translation>Afficher le fichier</translation>
    </message>
    <message>
        <source>Save the study first: its results are files beside it</source>
        <translation>Enregistrez d’abord l’étude : ses résultats sont des fichiers à côté d’elle</translation>
    </message>
    <message>
        <source>Copied: the command that computes it</source>
        <translation>Copié : la commande qui le calcule</translation>
    </message>
    <message>
        <source>the model alone</source>
        <translation>le modèle seul</translation>
    </message>
</context>
<context>
    <name>headscope::StudyState</name>
    <message numerus="yes">
        <source>%Ln heads</source>
        <translation>
            <numerusform>%Ln tête</numerusform>
            <numerusform>%Ln têtes</numerusform>
        </translation>
    </message>
    <message>
        <source>in-domain</source>
        <translation>dans le domaine</translation>
    </message>
    <message>
        <source>out-of-domain</source>
        <translation>hors domaine</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>différence</translation>
    </message>
    <message>
        <source>Ablation Δ %1</source>
        <translation>Δ d’ablation %1</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Importance</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Confiance</translation>
    </message>
    <message>
        <source>Relevance</source>
        <translation>Pertinence</translation>
    </message>
    <message>
        <source>unmask %1</source>
        <translation>le démasquage de %1</translation>
    </message>
    <message>
        <source>mask %1</source>
        <translation>le masquage de %1</translation>
    </message>
    <message>
        <source>clear masks</source>
        <translation>l’effacement des masques</translation>
    </message>
    <message>
        <source>unpin %1</source>
        <translation>le désépinglage de %1</translation>
    </message>
    <message>
        <source>pin %1</source>
        <translation>l’épinglage de %1</translation>
    </message>
    <message>
        <source>judge by %1</source>
        <translation>le choix de la métrique %1</translation>
    </message>
    <message>
        <source>thresholds of roles</source>
        <translation>les seuils des rôles</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>poids</translation>
    </message>
    <message>
        <source>configuration or tokenizer</source>
        <translation>configuration ou tokenizer</translation>
    </message>
    <message>
        <source>Outdated. Changed since it was computed: %1.</source>
        <translation>Périmé. Changé depuis le calcul&#xa0;: %1.</translation>
    </message>
    <message>
        <source>Outdated. Changed since they were computed: %1.</source>
        <translation>Périmés. Changé depuis leur calcul&#xa0;: %1.</translation>
    </message>
    <message>
        <source>Only the %1 values are outdated: do not compare them with the others. Changed since they were computed: %2.</source>
        <translation>Seules les valeurs %1 sont périmées&#xa0;: ne pas les comparer avec les autres. Changé depuis leur calcul&#xa0;: %2.</translation>
    </message>
    <message>
        <source>Headscope, whose earlier versions computed these numbers wrongly</source>
        <translation>Headscope, dont les versions antérieures calculaient mal ces nombres</translation>
    </message>
    <message>
        <source>Entropy of attention</source>
        <translation>Entropie de l’attention</translation>
    </message>
    <message>
        <source>Entropy of the first token</source>
        <translation>Entropie du premier token</translation>
    </message>
    <message>
        <source>Attention to the previous token</source>
        <translation>Attention au token précédent</translation>
    </message>
    <message>
        <source>Attention to the next token</source>
        <translation>Attention au token suivant</translation>
    </message>
    <message>
        <source>Attention to the token itself</source>
        <translation>Attention au token lui-même</translation>
    </message>
    <message>
        <source>Attention to the first token</source>
        <translation>Attention au premier token</translation>
    </message>
    <message>
        <source>Attention to delimiters</source>
        <translation>Attention aux délimiteurs</translation>
    </message>
    <message>
        <source>Attention to punctuation</source>
        <translation>Attention à la ponctuation</translation>
    </message>
    <message>
        <source>Shapley value %1</source>
        <translation>Valeur de Shapley %1</translation>
    </message>
    <message>
        <source>Gates: helps − interferes</source>
        <translation>Portes : aide − gêne</translation>
    </message>
    <message>
        <source>Windowed Δ %1</source>
        <translation>Δ %1 avec fenêtre</translation>
    </message>
    <message>
        <source>Effect of patching</source>
        <translation>Effet du patching</translation>
    </message>
    <message>
        <source>Induction on repeated tokens</source>
        <translation>Induction sur des tokens répétés</translation>
    </message>
    <message>
        <source>Previous token on repeated tokens</source>
        <translation>Token précédent sur des tokens répétés</translation>
    </message>
    <message>
        <source>Duplicate token on repeated tokens</source>
        <translation>Token répété sur des tokens répétés</translation>
    </message>
    <message>
        <source>First token on repeated tokens</source>
        <translation>Premier token sur des tokens répétés</translation>
    </message>
    <message>
        <source>Copying on repeated tokens</source>
        <translation>Copie sur des tokens répétés</translation>
    </message>
    <message>
        <source>Weights: OV eigenvalues</source>
        <translation>Poids : valeurs propres de OV</translation>
    </message>
    <message>
        <source>Weights: QK eigenvalues</source>
        <translation>Poids : valeurs propres de QK</translation>
    </message>
    <message>
        <source>Weights: OV norm</source>
        <translation>Poids : norme de OV</translation>
    </message>
    <message>
        <source>Effect on tasks in prompts</source>
        <translation>Effet sur les tâches de prompts</translation>
    </message>
    <message>
        <source>Retrieval score</source>
        <translation>Score de récupération</translation>
    </message>
    <message>
        <source>QR score</source>
        <translation>Score QR</translation>
    </message>
</context>
<context>
    <name>headscope::StudyThumbnails</name>
    <message>
        <source>Thumbnail of %1</source>
        <translation>Vignette de %1</translation>
    </message>
</context>
<context>
    <name>headscope::SurfaceSeries</name>
    <message>
        <source>previous token</source>
        <translation>token précédent</translation>
    </message>
    <message>
        <source>next token</source>
        <translation>token suivant</translation>
    </message>
    <message>
        <source>itself</source>
        <translation>lui-même</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>premier token</translation>
    </message>
    <message>
        <source>delimiters</source>
        <translation>délimiteurs</translation>
    </message>
    <message>
        <source>punctuation</source>
        <translation>ponctuation</translation>
    </message>
    <message>
        <source>delimiters from delimiters</source>
        <translation>délimiteurs, depuis des délimiteurs</translation>
    </message>
    <message>
        <source>all tokens</source>
        <translation>tous les tokens</translation>
    </message>
    <message>
        <source>Previous, next, itself</source>
        <translation>Précédent, suivant, lui-même</translation>
    </message>
    <message>
        <source>First token, delimiters, punctuation</source>
        <translation>Premier token, délimiteurs, ponctuation</translation>
    </message>
    <message>
        <source>Delimiters, from delimiters and others</source>
        <translation>Délimiteurs, depuis eux et les autres</translation>
    </message>
    <message>
        <source>Entropy</source>
        <translation>Entropie</translation>
    </message>
    <message>
        <source>%1 nats</source>
        <translation>%1 nats</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2&#xa0;: %3</translation>
    </message>
    <message>
        <source>equal attention to all</source>
        <translation>même attention à tous</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>couche</translation>
    </message>
    <message>
        <source>entropy (nats)</source>
        <translation>entropie (nats)</translation>
    </message>
    <message>
        <source>attention of a token (%)</source>
        <translation>attention d’un token (%)</translation>
    </message>
    <message>
        <source>delimiters from other tokens</source>
        <translation>délimiteurs, depuis les autres tokens</translation>
    </message>
</context>
<context>
    <name>headscope::Survivors</name>
    <message>
        <source>heads left</source>
        <translation>têtes restantes</translation>
    </message>
    <message>
        <source>open heads</source>
        <translation>têtes ouvertes</translation>
    </message>
    <message>
        <source>epoch %1</source>
        <translation>époque %1</translation>
    </message>
    <message>
        <source>%1: %2 heads, %3 %4</source>
        <translation>%1&#xa0;: %2 têtes, %3 %4</translation>
    </message>
    <message>
        <source>epochs of this run</source>
        <translation>époques de cet entraînement</translation>
    </message>
    <message>
        <source>ends of the runs beside it</source>
        <translation>fins des entraînements voisins</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>couche %1</translation>
    </message>
    <message>
        <source>no role</source>
        <translation>sans rôle</translation>
    </message>
    <message>
        <source>most closed</source>
        <translation>la plus fermée</translation>
    </message>
    <message>
        <source>least decided</source>
        <translation>la moins décidée</translation>
    </message>
    <message>
        <source>most open</source>
        <translation>la plus ouverte</translation>
    </message>
    <message>
        <source>%1, %2: P(0) = %3, P(1) = %4</source>
        <translation>%1, %2&#xa0;: P(0) = %3, P(1) = %4</translation>
    </message>
    <message>
        <source>gate</source>
        <translation>porte</translation>
    </message>
    <message>
        <source>density</source>
        <translation>densité</translation>
    </message>
</context>
<context>
    <name>headscope::TableFields</name>
    <message>
        <source>%1: table</source>
        <translation>%1&#xa0;: tableau</translation>
    </message>
    <message>
        <source>Tables (*.tsv *.csv *.jsonl *.txt *.tsv.gz *.csv.gz *.jsonl.gz *.txt.gz *.tsv.xz *.csv.xz *.jsonl.xz *.txt.xz);;All files (*)</source>
        <translation>Tableaux (*.tsv *.csv *.jsonl *.txt *.tsv.gz *.csv.gz *.jsonl.gz *.txt.gz *.tsv.xz *.csv.xz *.jsonl.xz *.txt.xz);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>First line names the columns</source>
        <translation>La première ligne nomme les colonnes</translation>
    </message>
    <message>
        <source>Quoted fields</source>
        <translation>Champs entre guillemets</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Worse text</source>
        <translation>Texte moins bon</translation>
    </message>
    <message>
        <source>Paradigm</source>
        <translation>Paradigme</translation>
    </message>
    <message>
        <source>Second text</source>
        <translation>Second texte</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Étiquette</translation>
    </message>
    <message>
        <source>.tsv, .csv or .jsonl (.gz and .xz too)</source>
        <translation>.tsv, .csv ou .jsonl (.gz et .xz aussi)</translation>
    </message>
    <message>
        <source>Without a header line the columns are called 1, 2, …</source>
        <translation>Sinon, la première ligne est déjà une ligne de données, et les colonnes s’appellent 1, 2, …</translation>
    </message>
    <message>
        <source>A .tsv with quoted fields, as spreadsheets write them; .csv always has quoted fields</source>
        <translation>Un .tsv dont les champs sont entre guillemets, comme les écrivent les tableurs&#xa0;; un .csv l’est toujours</translation>
    </message>
    <message>
        <source>only where they differ: 1=positive, no=neutral+contradiction</source>
        <translation>seulement si elles diffèrent&#xa0;: 1=positive, no=neutral+contradiction</translation>
    </message>
    <message>
        <source>%1: label mapping</source>
        <translation>%1&#xa0;: correspondance des étiquettes</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tableau</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Colonnes</translation>
    </message>
    <message>
        <source>Labels mean</source>
        <translation>Sens des étiquettes</translation>
    </message>
    <message>
        <source>found by its name</source>
        <translation>trouvée par son nom</translation>
    </message>
    <message>
        <source>%1: column of %2</source>
        <translation>%1&#xa0;: colonne %2</translation>
    </message>
    <message>
        <source>The model&apos;s labels: %1</source>
        <translation>Étiquettes du modèle&#xa0;: %1</translation>
    </message>
    <message>
        <source>Labels of the data: %1</source>
        <translation>Étiquettes des données&#xa0;: %1</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>Questions</translation>
    </message>
    <message>
        <source>prompt: Question: {question}\nAnswer:</source>
        <translation>invite : Question: {question}\nAnswer:</translation>
    </message>
    <message>
        <source>What the model reads of a row, with names of columns in braces. Empty: as lm-evaluation-harness asks the questions of ARC, HellaSwag, MMLU and BoolQ, otherwise the context of the row</source>
        <translation>Ce que le modèle lit d’une ligne, les noms de colonnes entre accolades. Vide : comme lm-evaluation-harness pose les questions de ARC, HellaSwag, MMLU et BoolQ, sinon le contexte de la ligne</translation>
    </message>
    <message>
        <source>%1: prompt of questions</source>
        <translation>%1 : invite des questions</translation>
    </message>
    <message>
        <source>Last word</source>
        <translation>Dernier mot</translation>
    </message>
    <message>
        <source>The last word of each text is asked for, as LAMBADA does</source>
        <translation>Le dernier mot de chaque texte est demandé, comme dans LAMBADA</translation>
    </message>
    <message>
        <source>shots: </source>
        <translation>exemples : </translation>
    </message>
    <message>
        <source>Questions that stand before every question with their answers: the first ones of the table beside this</source>
        <translation>Questions qui précèdent chaque question avec leurs réponses : les premières de la table ci-contre</translation>
    </message>
    <message>
        <source>%1: shots</source>
        <translation>%1 : exemples</translation>
    </message>
    <message>
        <source>%1: table of shots</source>
        <translation>%1 : table d’exemples</translation>
    </message>
    <message>
        <source>Tables (*.tsv *.csv *.jsonl);;All files (*)</source>
        <translation>Tables (*.tsv *.csv *.jsonl);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>table of shots</source>
        <translation>table d’exemples</translation>
    </message>
</context>
<context>
    <name>headscope::TablePainter</name>
    <message numerus="yes">
        <source>… and %Ln more rows</source>
        <translation>
            <numerusform>… et %Ln autre ligne</numerusform>
            <numerusform>… et %Ln autres lignes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headscope::TakeoverBar</name>
    <message>
        <source>What replaces the head&apos;s context</source>
        <translation>Ce qui remplace le contexte de la tête</translation>
    </message>
    <message>
        <source>Nothing, which the model has never seen; the mean over the data set; or what the head makes of another text, as a control</source>
        <translation>Rien, ce que le modèle n’a jamais vu ; la moyenne sur le jeu de données ; ou ce que la tête fait d’un autre texte, comme contrôle</translation>
    </message>
    <message>
        <source>Which removal is shown</source>
        <translation>Quel retrait est affiché</translation>
    </message>
    <message>
        <source>No data set is open.</source>
        <translation>Aucun jeu de données n’est ouvert.</translation>
    </message>
    <message>
        <source>Click the head that is to be removed.</source>
        <translation>Cliquez sur la tête à retirer.</translation>
    </message>
    <message>
        <source>&amp;Remove %1</source>
        <translation>&amp;Retirer %1</translation>
    </message>
    <message>
        <source>&amp;Remove the head</source>
        <translation>&amp;Retirer la tête</translation>
    </message>
    <message>
        <source>Removes the selected head, and compares what all others add to the answer by themselves</source>
        <translation>Retire la tête sélectionnée et compare ce que toutes les autres ajoutent par elles-mêmes à la réponse</translation>
    </message>
    <message>
        <source>without %1</source>
        <translation>sans %1</translation>
    </message>
    <message>
        <source>%1: its mean</source>
        <translation>%1 : sa moyenne</translation>
    </message>
    <message>
        <source>%1: of another text</source>
        <translation>%1 : d’un autre texte</translation>
    </message>
    <message>
        <source>Other heads: %1, all else: %2.</source>
        <translation>Autres têtes : %1, tout le reste : %2.</translation>
    </message>
    <message>
        <source>Made good: %1</source>
        <translation>Compensé : %1</translation>
    </message>
    <message>
        <source>The answer is what the model says, the other one what is next likely.</source>
        <translation>La réponse est ce que dit le modèle, l’autre ce qui vient ensuite en probabilité.</translation>
    </message>
    <message>
        <source>nothing instead</source>
        <translation>rien à la place</translation>
    </message>
    <message>
        <source>its mean instead</source>
        <translation>sa moyenne à la place</translation>
    </message>
    <message>
        <source>another text’s instead</source>
        <translation>celui d’un autre texte à la place</translation>
    </message>
    <message>
        <source>%1 adds %2 by itself to the difference of the answers’ logits. Without it the difference goes from %3 to %4 (%5 examples).</source>
        <translation>%1 ajoute par elle-même %2 à la différence des logits des réponses. Sans elle, la différence passe de %3 à %4 (%5 exemples).</translation>
    </message>
</context>
<context>
    <name>headscope::TaskText</name>
    <message>
        <source>a number (regression)</source>
        <translation>un nombre (régression)</translation>
    </message>
    <message>
        <source>one of %1 labels</source>
        <translation>une étiquette parmi %1</translation>
    </message>
    <message>
        <source>any of %1 labels</source>
        <translation>plusieurs étiquettes parmi %1</translation>
    </message>
    <message>
        <source>no label</source>
        <translation>aucune étiquette</translation>
    </message>
    <message>
        <source> or </source>
        <translation> ou </translation>
    </message>
    <message>
        <source>cut: %1 tokens fit into the model</source>
        <translation>coupé&#xa0;:&#xa0;%1 jetons tiennent dans le modèle</translation>
    </message>
    <message>
        <source>cut: %1 source and %2 target tokens are shown</source>
        <translation>coupé&#xa0;:&#xa0;%1 jetons source et&#xa0;%2 jetons cible sont montrés</translation>
    </message>
    <message>
        <source>%1 has no pairs of a clean and a corrupt text. Choose a table with the columns clean, corrupt, answer and wrong_answer.</source>
        <translation>%1 n’a pas de paires d’un texte intact et d’un texte altéré. Choisissez une table avec les colonnes clean, corrupt, answer et wrong_answer.</translation>
    </message>
</context>
<context>
    <name>headscope::TimeBar</name>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Pause</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>&amp;Lecture</translation>
    </message>
</context>
<context>
    <name>headscope::Toast</name>
    <message>
        <source>Close the message</source>
        <translation>Fermer le message</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ouvrir le dossier</translation>
    </message>
</context>
<context>
    <name>headscope::TrainingChart</name>
    <message>
        <source>Training curves</source>
        <translation>Courbes d’entraînement</translation>
    </message>
    <message>
        <source>Last: %1</source>
        <translation>En dernier&#xa0;: %1</translation>
    </message>
    <message>
        <source>; best epoch %1</source>
        <translation>&#xa0;; meilleure époque&#xa0;: %1</translation>
    </message>
    <message>
        <source>training (with dropout)</source>
        <translation>entraînement (avec dropout)</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>validation</translation>
    </message>
    <message>
        <source>★ best: epoch %1, %2 %3</source>
        <translation>★ meilleure&#xa0;: époque %1, %2 %3</translation>
    </message>
    <message>
        <source>★ best: epoch %1</source>
        <translation>★ meilleure&#xa0;: époque %1</translation>
    </message>
    <message>
        <source>epochs (passes over the training text)</source>
        <translation>époques (passages sur le texte d’entraînement)</translation>
    </message>
    <message>
        <source>BLEU (points)</source>
        <translation>BLEU (points)</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>epoch %1</source>
        <translation>époque %1</translation>
    </message>
    <message>
        <source>training %1</source>
        <translation>entraînement %1</translation>
    </message>
    <message>
        <source>validation %1</source>
        <translation>validation %1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>after epoch %1: %2</source>
        <translation>après l’époque %1&#xa0;: %2</translation>
    </message>
    <message>
        <source>loss (nats per target token)</source>
        <translation>perte (nats par token cible)</translation>
    </message>
    <message>
        <source>%1 of the validation data</source>
        <translation>%1 des données de validation</translation>
    </message>
</context>
<context>
    <name>headscope::TrainingController</name>
    <message>
        <source>Train %1</source>
        <translation>Entraîner %1</translation>
    </message>
    <message>
        <source>Read run %1</source>
        <translation>Lire l’entraînement %1</translation>
    </message>
    <message>
        <source>Read the runs beside %1</source>
        <translation>Lire les entraînements voisins de %1</translation>
    </message>
</context>
<context>
    <name>headscope::TrainingPage</name>
    <message>
        <source>&amp;Training</source>
        <translation>&amp;Entraînement</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>&amp;Démarrer</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>A&amp;rrêter</translation>
    </message>
    <message>
        <source>Saves the run first, so that it can be resumed</source>
        <translation>Enregistre d’abord l’entraînement, pour pouvoir le reprendre</translation>
    </message>
    <message>
        <source>Open ru&amp;n…</source>
        <translation>Ouvrir un e&amp;ntraînement…</translation>
    </message>
    <message>
        <source>Shows a run that is on disk, finished or not</source>
        <translation>Affiche un entraînement présent sur le disque, terminé ou non</translation>
    </message>
    <message>
        <source>L&amp;oad…</source>
        <translation>C&amp;harger…</translation>
    </message>
    <message>
        <source>Fills the form from a configuration file</source>
        <translation>Remplit le formulaire à partir d’un fichier de configuration</translation>
    </message>
    <message>
        <source>Sa&amp;ve…</source>
        <translation>Enre&amp;gistrer…</translation>
    </message>
    <message>
        <source>Writes the form to a configuration file, as headscope-cli train reads it</source>
        <translation>Écrit le formulaire dans un fichier de configuration, tel que headscope-cli train le lit</translation>
    </message>
    <message>
        <source>Epochs of the run</source>
        <translation>Époques de l’entraînement</translation>
    </message>
    <message>
        <source>Open t&amp;his epoch</source>
        <translation>Ouvrir cette épo&amp;que</translation>
    </message>
    <message>
        <source>Opens the epoch&apos;s model in this window, to study its heads</source>
        <translation>Ouvre le modèle de l’époque dans cette fenêtre, pour étudier ses têtes</translation>
    </message>
    <message>
        <source>Re&amp;sume</source>
        <translation>Re&amp;prendre</translation>
    </message>
    <message>
        <source>A training is running</source>
        <translation>Un entraînement est en cours</translation>
    </message>
    <message>
        <source>The settings are those of the running training.</source>
        <translation>Les réglages sont ceux de l’entraînement en cours.</translation>
    </message>
    <message>
        <source>Resume continues from the last saved state.</source>
        <translation>Reprendre repart du dernier état enregistré.</translation>
    </message>
    <message>
        <source>Choose an epoch in the table first</source>
        <translation>Choisir d’abord une époque dans le tableau</translation>
    </message>
    <message>
        <source>Opens %1 in this window</source>
        <translation>Ouvre %1 dans cette fenêtre</translation>
    </message>
    <message>
        <source>Open the folder of a run</source>
        <translation>Ouvrir le dossier d’un entraînement</translation>
    </message>
    <message>
        <source>Load configuration</source>
        <translation>Charger la configuration</translation>
    </message>
    <message>
        <source>Configurations (*.json);;All files (*)</source>
        <translation>Configurations (*.json);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>Save configuration</source>
        <translation>Enregistrer la configuration</translation>
    </message>
    <message>
        <source>Configurations (*.json)</source>
        <translation>Configurations (*.json)</translation>
    </message>
    <message>
        <source>Cannot write %1: %2.</source>
        <translation>Impossible d’écrire %1&#xa0;: %2.</translation>
    </message>
    <message>
        <source>Open heads over updates, %1</source>
        <translation>Têtes ouvertes au fil des mises à jour, %1</translation>
    </message>
    <message>
        <source>Heads that are open, in per cent of those that have gates (sum of 1 − P(gate = 0)), and the score under the closed heads, in per cent of the best epoch’s, over updates.</source>
        <translation>Têtes ouvertes, en pour cent de celles qui ont des portes (somme de 1 − P(porte = 0)), et score avec les têtes fermées, en pour cent de celui de la meilleure époque, au fil des mises à jour.</translation>
    </message>
    <message>
        <source>Gates of heads, %1</source>
        <translation>Portes des têtes, %1</translation>
    </message>
    <message>
        <source>Training curves, %1</source>
        <translation>Courbes d’entraînement, %1</translation>
    </message>
    <message>
        <source>Loss in nats per target and score against epochs. Training: mean over updates, with dropout, without label smoothing; validation: without dropout, at the end of each epoch.</source>
        <translation>Perte en nats par cible et score au fil des époques. Entraînement&#xa0;: moyenne sur les mises à jour, avec dropout, sans lissage des étiquettes&#xa0;; validation&#xa0;: sans dropout, à la fin de chaque époque.</translation>
    </message>
    <message>
        <source>The loss of the first updates is above the axis.</source>
        <translation>La perte des premières mises à jour dépasse l’axe.</translation>
    </message>
    <message numerus="yes">
        <source>Trained on %Ln examples.</source>
        <translation>
            <numerusform>Entraîné sur %Ln exemple.</numerusform>
            <numerusform>Entraîné sur %Ln exemples.</numerusform>
        </translation>
    </message>
    <message>
        <source>Choose two parallel text files for a translation model, or a table of labelled texts for a classifier, and a folder; then press Start. Or start from a trained model, with data of its kind.
Every epoch becomes a model folder that you can open and study here; a stopped run can be resumed.</source>
        <translation>Choisir deux fichiers texte parallèles pour un modèle de traduction, ou un tableau de textes étiquetés pour un classifieur, et un dossier&#xa0;; puis appuyer sur Démarrer. Ou partir d’un modèle entraîné, avec des données de son type.
Chaque époque devient un dossier de modèle que l’on peut ouvrir et étudier ici&#xa0;; un entraînement arrêté peut être repris.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Entraînement</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Expérience</translation>
    </message>
    <message>
        <source>Several runs that differ in one thing: numbers of heads, shared projections, penalties</source>
        <translation>Plusieurs entraînements qui diffèrent par une seule chose&#xa0;: nombres de têtes, projections partagées, pénalités</translation>
    </message>
</context>
<context>
    <name>headscope::TrainingSettings</name>
    <message>
        <source>Tiny: 128, 3 + 3 × 8 heads</source>
        <translation>Minuscule&#xa0;: 128, 3 + 3 × 8 têtes</translation>
    </message>
    <message>
        <source>Small: 256, 4 + 4 × 8 heads</source>
        <translation>Petit&#xa0;: 256, 4 + 4 × 8 têtes</translation>
    </message>
    <message>
        <source>Base: 512, 6 + 6 × 8 heads</source>
        <translation>Base&#xa0;: 512, 6 + 6 × 8 têtes</translation>
    </message>
    <message>
        <source>Settings of the training</source>
        <translation>Réglages de l’entraînement</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Choisir un dossier</translation>
    </message>
    <message>
        <source>%1: choose</source>
        <translation>%1&#xa0;: choisir</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Entraînement</translation>
    </message>
    <message>
        <source>Folder of the run</source>
        <translation>Dossier de l’entraînement</translation>
    </message>
    <message>
        <source>gets a model for every epoch</source>
        <translation>recevra un modèle par époque</translation>
    </message>
    <message>
        <source>&amp;Folder</source>
        <translation>D&amp;ossier</translation>
    </message>
    <message>
        <source>a new model</source>
        <translation>un nouveau modèle</translation>
    </message>
    <message>
        <source>a trained model to start from</source>
        <translation>un modèle entraîné, à poursuivre</translation>
    </message>
    <message>
        <source>the shape of a model, fresh weights</source>
        <translation>la forme d’un modèle, nouveaux poids</translation>
    </message>
    <message>
        <source>Begin with</source>
        <translation>Partir de</translation>
    </message>
    <message>
        <source>&amp;Begin with</source>
        <translation>Partir d&amp;e</translation>
    </message>
    <message>
        <source>Starting model</source>
        <translation>Modèle de départ</translation>
    </message>
    <message>
        <source>model folder</source>
        <translation>dossier de modèle</translation>
    </message>
    <message>
        <source>Open one</source>
        <translation>Modèle ouvert</translation>
    </message>
    <message>
        <source>Takes the model that is open in this window, and the in-domain data to validate on</source>
        <translation>Prend le modèle ouvert dans cette fenêtre, et les données dans le domaine pour la validation</translation>
    </message>
    <message>
        <source>Training data</source>
        <translation>Données d’entraînement</translation>
    </message>
    <message>
        <source>The training data.</source>
        <translation>À partir de quoi apprendre.</translation>
    </message>
    <message>
        <source>Validation data</source>
        <translation>Données de validation</translation>
    </message>
    <message>
        <source>Measured after every epoch. Without them there is no score and no best epoch.</source>
        <translation>Mesurées après chaque époque. Sans elles, il n’y a ni score ni meilleure époque.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Size of the model</source>
        <translation>Taille du modèle</translation>
    </message>
    <message>
        <source>Own sizes</source>
        <translation>Tailles libres</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>T&amp;aille</translation>
    </message>
    <message>
        <source>&amp;Width</source>
        <translation>Lar&amp;geur</translation>
    </message>
    <message>
        <source>Model width</source>
        <translation>Largeur du modèle</translation>
    </message>
    <message>
        <source>Encoder layers</source>
        <translation>Couches de l’encodeur</translation>
    </message>
    <message>
        <source>Decoder layers</source>
        <translation>Couches du décodeur</translation>
    </message>
    <message>
        <source>&amp;Layers</source>
        <translation>&amp;Couches</translation>
    </message>
    <message>
        <source>Heads of an encoder layer</source>
        <translation>Têtes d’une couche de l’encodeur</translation>
    </message>
    <message>
        <source>Heads of a decoder layer</source>
        <translation>Têtes d’une couche du décodeur</translation>
    </message>
    <message>
        <source>&amp;Heads</source>
        <translation>&amp;Têtes par couche</translation>
    </message>
    <message>
        <source> encoder</source>
        <translation> encodeur</translation>
    </message>
    <message>
        <source> decoder</source>
        <translation> décodeur</translation>
    </message>
    <message>
        <source>Fee&amp;d-forward</source>
        <translation>Feed-for&amp;ward</translation>
    </message>
    <message>
        <source>Feed-forward width</source>
        <translation>Largeur feed-forward</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>Vocabulaire</translation>
    </message>
    <message>
        <source> pieces</source>
        <translation> sous-mots</translation>
    </message>
    <message>
        <source>&amp;Vocabulary</source>
        <translation>&amp;Vocabulaire</translation>
    </message>
    <message>
        <source>one for both languages</source>
        <translation>commun aux deux langues</translation>
    </message>
    <message>
        <source>Learning</source>
        <translation>Apprentissage</translation>
    </message>
    <message>
        <source>&amp;Epochs</source>
        <translation>Époq&amp;ues</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Époques</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Lot</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> tokens</translation>
    </message>
    <message>
        <source>Tokens of one update, of the longer side, padding included</source>
        <translation>Tokens d’une mise à jour, du côté le plus long, remplissage compris</translation>
    </message>
    <message>
        <source>Ba&amp;tch</source>
        <translation>&amp;Lot</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Taux d’apprentissage</translation>
    </message>
    <message>
        <source>The highest, reached at the end of the warm-up</source>
        <translation>Le plus élevé, atteint à la fin de l’échauffement</translation>
    </message>
    <message>
        <source>Learning &amp;rate</source>
        <translation>Tau&amp;x d’apprentissage</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Échauffement</translation>
    </message>
    <message>
        <source> updates</source>
        <translation> mises à jour</translation>
    </message>
    <message>
        <source>Warm-&amp;up</source>
        <translation>Échau&amp;ffement</translation>
    </message>
    <message>
        <source>S&amp;chedule</source>
        <translation>&amp;Planification</translation>
    </message>
    <message>
        <source>Schedule of the learning rate</source>
        <translation>Planification du taux d’apprentissage</translation>
    </message>
    <message>
        <source>inverse square root</source>
        <translation>inverse de la racine carrée</translation>
    </message>
    <message>
        <source>cosine</source>
        <translation>cosinus</translation>
    </message>
    <message>
        <source>constant</source>
        <translation>constante</translation>
    </message>
    <message>
        <source>Dr&amp;opout</source>
        <translation>&amp;Dropout</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>Dropout</translation>
    </message>
    <message>
        <source>Label s&amp;moothing</source>
        <translation>Li&amp;ssage des étiquettes</translation>
    </message>
    <message>
        <source>Label smoothing</source>
        <translation>Lissage des étiquettes</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>Patience</translation>
    </message>
    <message>
        <source>no early stop</source>
        <translation>sans arrêt anticipé</translation>
    </message>
    <message>
        <source> epochs</source>
        <translation> époques</translation>
    </message>
    <message>
        <source>Stops after this many epochs without a better validation</source>
        <translation>S’arrête après ce nombre d’époques sans meilleure validation</translation>
    </message>
    <message>
        <source>&amp;Patience</source>
        <translation>Pat&amp;ience</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Graine</translation>
    </message>
    <message>
        <source>&amp;Number type</source>
        <translation>T&amp;ype numérique</translation>
    </message>
    <message>
        <source>Number type of the matrix products</source>
        <translation>Type numérique des produits de matrices</translation>
    </message>
    <message>
        <source>auto (bf16 where it is fast)</source>
        <translation>auto (bf16 s’il est rapide)</translation>
    </message>
    <message>
        <source>More settings</source>
        <translation>Autres réglages</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimiseur</translation>
    </message>
    <message>
        <source>Adam</source>
        <translation>Adam</translation>
    </message>
    <message>
        <source>AdamW</source>
        <translation>AdamW</translation>
    </message>
    <message>
        <source>Beta 1</source>
        <translation>Bêta 1</translation>
    </message>
    <message>
        <source>Beta 2</source>
        <translation>Bêta 2</translation>
    </message>
    <message>
        <source>Betas</source>
        <translation>Bêtas</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>Décroissance des poids</translation>
    </message>
    <message>
        <source>Largest gradient norm</source>
        <translation>Plus grande norme de gradient</translation>
    </message>
    <message>
        <source>0 = gradients are never clipped</source>
        <translation>0 = les gradients ne sont jamais écrêtés</translation>
    </message>
    <message>
        <source>Clip norm</source>
        <translation>Norme max.</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>Activation</translation>
    </message>
    <message>
        <source>Positions</source>
        <translation>Positions</translation>
    </message>
    <message>
        <source>Most positions</source>
        <translation>Nombre maximal de positions</translation>
    </message>
    <message>
        <source>Pieces by</source>
        <translation>Sous-mots</translation>
    </message>
    <message>
        <source>Kind of vocabulary</source>
        <translation>Type de vocabulaire</translation>
    </message>
    <message>
        <source>unigram</source>
        <translation>unigramme</translation>
    </message>
    <message>
        <source>byte pairs</source>
        <translation>paires d’octets</translation>
    </message>
    <message>
        <source>Normalization</source>
        <translation>Normalisation</translation>
    </message>
    <message>
        <source>none</source>
        <translation>aucune</translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation>Couverture</translation>
    </message>
    <message>
        <source>Share of the characters that get a piece</source>
        <translation>Part des caractères qui reçoivent un sous-mot</translation>
    </message>
    <message>
        <source>Most updates</source>
        <translation>Mises à jour au plus</translation>
    </message>
    <message>
        <source>as the epochs have</source>
        <translation>selon les époques</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>Mises à jour</translation>
    </message>
    <message>
        <source>Best by</source>
        <translation>Meilleure par</translation>
    </message>
    <message>
        <source>What the best epoch means</source>
        <translation>Ce qui définit la meilleure époque</translation>
    </message>
    <message>
        <source>score (BLEU, accuracy)</source>
        <translation>score (BLEU, exactitude)</translation>
    </message>
    <message>
        <source>validation loss</source>
        <translation>perte de validation</translation>
    </message>
    <message>
        <source>Beams</source>
        <translation>Faisceaux</translation>
    </message>
    <message>
        <source>Beams of the validation</source>
        <translation>Faisceaux de la validation</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Périphérique</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>one per core</source>
        <translation>un par cœur</translation>
    </message>
    <message>
        <source>Kept as</source>
        <translation>Conservé en</translation>
    </message>
    <message>
        <source>Number type of the epochs&apos; weights</source>
        <translation>Type numérique des poids des époques</translation>
    </message>
    <message>
        <source>Point of the curve</source>
        <translation>Point de la courbe</translation>
    </message>
    <message>
        <source>every </source>
        <translation>toutes les </translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>Courbe</translation>
    </message>
    <message>
        <source>State is saved</source>
        <translation>Enregistrement de l’état</translation>
    </message>
    <message>
        <source> min</source>
        <translation> min</translation>
    </message>
    <message>
        <source>State</source>
        <translation>État</translation>
    </message>
    <message>
        <source>plain operations (slow, to compare)</source>
        <translation>opérations simples (lentes, pour comparer)</translation>
    </message>
    <message>
        <source>Choose the folder of the run.</source>
        <translation>Choisir le dossier de l’entraînement.</translation>
    </message>
    <message>
        <source>Choose the training data.</source>
        <translation>Choisir les données d’entraînement.</translation>
    </message>
    <message>
        <source>Choose the folder of the starting model.</source>
        <translation>Choisir le dossier du modèle de départ.</translation>
    </message>
    <message>
        <source>%1: see the message there.</source>
        <translation>%1&#xa0;: voir le message correspondant.</translation>
    </message>
    <message>
        <source>About %1</source>
        <translation>Environ %1</translation>
    </message>
    <message>
        <source>Sizes and vocabulary are those of the starting model.</source>
        <translation>Tailles et vocabulaire sont ceux du modèle de départ.</translation>
    </message>
    <message>
        <source>A classifier (BERT) of about %1</source>
        <translation>Un classifieur (BERT) d’environ %1</translation>
    </message>
</context>
<context>
    <name>headscope::TrainingText</name>
    <message>
        <source>&lt;b&gt;Training&lt;/b&gt;</source>
        <translation>&lt;b&gt;Entraînement&lt;/b&gt;</translation>
    </message>
    <message>
        <source>update %1 of %2</source>
        <translation>mise à jour %1 sur %2</translation>
    </message>
    <message>
        <source>update %1</source>
        <translation>mise à jour %1</translation>
    </message>
    <message>
        <source>epoch %1 of %2</source>
        <translation>époque %1 sur %2</translation>
    </message>
    <message>
        <source>loss %1 nats</source>
        <translation>perte %1 nats</translation>
    </message>
    <message>
        <source>%1 target tokens/s</source>
        <translation>%1 tokens cibles/s</translation>
    </message>
    <message numerus="yes">
        <source>&lt;b&gt;Finished&lt;/b&gt; after %Ln epochs</source>
        <translation>
            <numerusform>&lt;b&gt;Terminé&lt;/b&gt; après %Ln époque</numerusform>
            <numerusform>&lt;b&gt;Terminé&lt;/b&gt; après %Ln époques</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>&lt;b&gt;Stopped early&lt;/b&gt; after %Ln epochs: validation had stopped improving</source>
        <translation>
            <numerusform>&lt;b&gt;Arrêt anticipé&lt;/b&gt; après %Ln époque&#xa0;: pas de meilleure validation depuis un moment</numerusform>
            <numerusform>&lt;b&gt;Arrêt anticipé&lt;/b&gt; après %Ln époques&#xa0;: pas de meilleure validation depuis un moment</numerusform>
        </translation>
    </message>
    <message>
        <source>&lt;b&gt;Unfinished&lt;/b&gt; at update %1</source>
        <translation>&lt;b&gt;Inachevé&lt;/b&gt; à la mise à jour %1</translation>
    </message>
    <message>
        <source>best epoch %1, %2 %3</source>
        <translation>meilleure époque %1, %2 %3</translation>
    </message>
    <message>
        <source>best epoch %1</source>
        <translation>meilleure époque %1</translation>
    </message>
    <message>
        <source>&lt;b&gt;Stopping&lt;/b&gt; · the run is being saved…</source>
        <translation>&lt;b&gt;Arrêt&lt;/b&gt; · enregistrement de l’entraînement…</translation>
    </message>
    <message>
        <source>&lt;b&gt;Preparing&lt;/b&gt; · %1…</source>
        <translation>&lt;b&gt;Préparation&lt;/b&gt; · %1…</translation>
    </message>
    <message>
        <source>waiting for its turn</source>
        <translation>attend son tour</translation>
    </message>
    <message>
        <source>&lt;b&gt;Stopped&lt;/b&gt; before the first update.</source>
        <translation>&lt;b&gt;Arrêté&lt;/b&gt; avant la première mise à jour.</translation>
    </message>
    <message>
        <source>&lt;b&gt;Stopped at update %1.&lt;/b&gt; Resume continues from there.</source>
        <translation>&lt;b&gt;Arrêté à la mise à jour %1.&lt;/b&gt; Reprendre repart de là.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln examples</source>
        <translation>
            <numerusform>%Ln exemple</numerusform>
            <numerusform>%Ln exemples</numerusform>
        </translation>
    </message>
    <message>
        <source>on %1</source>
        <translation>sur %1</translation>
    </message>
    <message>
        <source>products in %1</source>
        <translation>produits en %1</translation>
    </message>
    <message>
        <source>resumed from update %1</source>
        <translation>repris à la mise à jour %1</translation>
    </message>
</context>
<context>
    <name>headscope::WaysButton</name>
    <message>
        <source>How long it takes, and what takes less time</source>
        <translation>Combien de temps cela prend, et ce qui en prend moins</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Nothing here takes less time</source>
        <translation>Rien ici ne prend moins de temps</translation>
    </message>
</context>
<context>
    <name>headscope::WeightSeries</name>
    <message>
        <source>Projection kernel of O and %1</source>
        <translation>Noyau de projection de O et %1</translation>
    </message>
    <message>
        <source>%1-composition</source>
        <translation>Composition %1</translation>
    </message>
    <message>
        <source>eigenvalues</source>
        <translation>valeurs propres</translation>
    </message>
    <message>
        <source>%1 %2 %3 i</source>
        <translation>%1 %2 %3 i</translation>
    </message>
    <message>
        <source>real part (right: copies, or attends to what is like it)</source>
        <translation>partie réelle (à droite&#xa0;: copie, ou regarde ce qui lui ressemble)</translation>
    </message>
    <message>
        <source>imaginary part</source>
        <translation>partie imaginaire</translation>
    </message>
    <message>
        <source>OV (largest: %1)</source>
        <translation>OV (la plus grande&#xa0;: %1)</translation>
    </message>
    <message>
        <source>QK (largest: %1)</source>
        <translation>QK (la plus grande&#xa0;: %1)</translation>
    </message>
    <message>
        <source>singular value, from the largest on</source>
        <translation>valeur singulière, à partir de la plus grande</translation>
    </message>
    <message>
        <source>of the largest (%)</source>
        <translation>de la plus grande (%)</translation>
    </message>
    <message>
        <source>%1 (random matrices: up to %2)</source>
        <translation>%1 (matrices aléatoires&#xa0;: jusqu’à %2)</translation>
    </message>
</context>
<context>
    <name>headscope::WeightsPage</name>
    <message>
        <source>OV eigenvalues (copies)</source>
        <translation>Valeurs propres OV (copie)</translation>
    </message>
    <message>
        <source>OV eigenvalues over the vocabulary</source>
        <translation>Valeurs propres OV sur le vocabulaire</translation>
    </message>
    <message>
        <source>QK eigenvalues (attends to what is alike)</source>
        <translation>Valeurs propres QK (regarde ce qui ressemble)</translation>
    </message>
    <message>
        <source>QK eigenvalues over the vocabulary</source>
        <translation>Valeurs propres QK sur le vocabulaire</translation>
    </message>
    <message>
        <source>OV norm</source>
        <translation>Norme OV</translation>
    </message>
    <message>
        <source>QK norm</source>
        <translation>Norme QK</translation>
    </message>
    <message>
        <source>OV effective rank</source>
        <translation>Rang effectif OV</translation>
    </message>
    <message>
        <source>QK effective rank</source>
        <translation>Rang effectif QK</translation>
    </message>
    <message>
        <source>Eigenvalues</source>
        <translation>Valeurs propres</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Composition</source>
        <translation>Composition</translation>
    </message>
    <message>
        <source>Eigenvalues and singular values of the selected head</source>
        <translation>Valeurs propres et valeurs singulières de la tête sélectionnée</translation>
    </message>
    <message>
        <source>What the selected head writes for a token, which keys it matches, singular directions</source>
        <translation>Ce que la tête sélectionnée écrit pour un token, les clés qu’il cherche, les directions singulières</translation>
    </message>
    <message>
        <source>How much of what a head writes later heads read, for all pairs</source>
        <translation>La part de ce qu’une tête écrit que lisent les têtes suivantes, pour toutes les paires</translation>
    </message>
    <message>
        <source>&amp;Weights</source>
        <translation>P&amp;oids</translation>
    </message>
    <message>
        <source>Measure of heads</source>
        <translation>Mesure des têtes</translation>
    </message>
    <message>
        <source>Lines between heads</source>
        <translation>Lignes entre les têtes</translation>
    </message>
    <message>
        <source>No lines</source>
        <translation>Sans lignes</translation>
    </message>
    <message>
        <source>Lines of the strongest pairs</source>
        <translation>Lignes des paires les plus fortes</translation>
    </message>
    <message>
        <source>Lines of the selected head</source>
        <translation>Lignes de la tête sélectionnée</translation>
    </message>
    <message>
        <source>Pairs of heads whose composition, or projection kernel, is above that of random matrices</source>
        <translation>Paires de têtes dont la composition, ou le noyau de projection, dépasse celle de matrices aléatoires</translation>
    </message>
    <message>
        <source>Measure of pairs</source>
        <translation>Mesure des paires</translation>
    </message>
    <message>
        <source>Composition: how much of what a head writes a later head&apos;s queries, keys or values read. Projection kernel: how far both subspaces overlap, whatever the sizes</source>
        <translation>Composition&#xa0;: la part de ce qu’une tête écrit que lisent les requêtes, clés ou valeurs d’une tête suivante. Noyau de projection&#xa0;: le recouvrement des deux sous-espaces, quelles que soient les grandeurs</translation>
    </message>
    <message>
        <source>Map of the head</source>
        <translation>Application de la tête</translation>
    </message>
    <message>
        <source>OV: what it writes</source>
        <translation>OV&#xa0;: ce qu’elle écrit</translation>
    </message>
    <message>
        <source>QK: its scores</source>
        <translation>QK&#xa0;: ses scores</translation>
    </message>
    <message>
        <source>over the &amp;vocabulary</source>
        <translation>sur le &amp;vocabulaire</translation>
    </message>
    <message>
        <source>Eigenvalues of the map from tokens to tokens, by embeddings and output matrix</source>
        <translation>Valeurs propres de l’application des tokens vers les tokens, par les plongements et la matrice de sortie</translation>
    </message>
    <message>
        <source>Eigenvalues in the complex plane</source>
        <translation>Valeurs propres dans le plan complexe</translation>
    </message>
    <message>
        <source>Singular values</source>
        <translation>Valeurs singulières</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>a token; most words begin with a blank</source>
        <translation>un token&#xa0;; la plupart des mots commencent par une espace</translation>
    </message>
    <message>
        <source>&amp;Look up</source>
        <translation>&amp;Chercher</translation>
    </message>
    <message>
        <source>Which token of the text</source>
        <translation>Quel token du texte</translation>
    </message>
    <message>
        <source>What the head does with the token</source>
        <translation>Ce que la tête fait du token</translation>
    </message>
    <message>
        <source>Map of the singular directions</source>
        <translation>Application des directions singulières</translation>
    </message>
    <message>
        <source>OV</source>
        <translation>OV</translation>
    </message>
    <message>
        <source>QK</source>
        <translation>QK</translation>
    </message>
    <message>
        <source>direction </source>
        <translation>direction </translation>
    </message>
    <message>
        <source>Singular direction</source>
        <translation>Direction singulière</translation>
    </message>
    <message>
        <source>Tokens at both ends of the singular direction</source>
        <translation>Tokens aux deux bouts de la direction singulière</translation>
    </message>
    <message>
        <source>&amp;Compute composition</source>
        <translation>Calculer la &amp;composition</translation>
    </message>
    <message>
        <source>Composition of heads</source>
        <translation>Composition des têtes</translation>
    </message>
    <message>
        <source>one reads what the other writes</source>
        <translation>l’une lit ce que l’autre écrit</translation>
    </message>
    <message>
        <source>Computing: the weights of the heads are read.</source>
        <translation>Calcul en cours&#xa0;: les poids des têtes sont lus.</translation>
    </message>
    <message>
        <source>This map does not lead from tokens to tokens of one vocabulary.</source>
        <translation>Cette application ne mène pas des tokens aux tokens d’un même vocabulaire.</translation>
    </message>
    <message>
        <source>Eigenvalues are not kept in this result. Press Compute composition.</source>
        <translation>Ce résultat n’a pas gardé les valeurs propres. Appuyez sur Calculer la composition.</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>token %1</translation>
    </message>
    <message>
        <source>raises</source>
        <translation>élève</translation>
    </message>
    <message>
        <source>Tokens whose logits the head raises where it attends to the token</source>
        <translation>Tokens dont la tête élève les logits là où elle regarde le token</translation>
    </message>
    <message>
        <source>lowers</source>
        <translation>abaisse</translation>
    </message>
    <message>
        <source>Tokens whose logits it lowers</source>
        <translation>Tokens dont elle abaisse les logits</translation>
    </message>
    <message>
        <source>matches keys</source>
        <translation>cherche les clés</translation>
    </message>
    <message>
        <source>Keys with the largest scores where the token is the query</source>
        <translation>Clés aux plus grands scores quand le token est la requête</translation>
    </message>
    <message>
        <source>shuns keys</source>
        <translation>évite les clés</translation>
    </message>
    <message>
        <source>Keys with the smallest scores</source>
        <translation>Clés aux plus petits scores</translation>
    </message>
    <message>
        <source>%1 raises the token itself as number %2 of all.</source>
        <translation>%1 élève le token lui-même au rang %2 de tous.</translation>
    </message>
    <message>
        <source>%1 writes no tokens by itself.</source>
        <translation>%1 n’écrit pas de tokens par elle-même.</translation>
    </message>
    <message>
        <source>%1 raises the token itself most: it copies it.</source>
        <translation>%1 élève le plus le token lui-même&#xa0;: elle le copie.</translation>
    </message>
    <message>
        <source>As a key it is number %1 of those that it matches.</source>
        <translation>Comme clé, il est au rang %1 de ceux qu’il cherche.</translation>
    </message>
    <message>
        <source>Type a token: what the head writes where it attends to it, and which keys it looks for as a query.</source>
        <translation>Saisissez un token&#xa0;: ce que la tête écrit là où elle le regarde, et les clés qu’il cherche comme requête.</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>lit</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>requêtes</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>écrit</translation>
    </message>
    <message>
        <source>keys</source>
        <translation>clés</translation>
    </message>
    <message>
        <source>Tokens at this end of the singular direction; what has the same sign belongs together</source>
        <translation>Tokens à ce bout de la direction singulière&#xa0;; ce qui a le même signe va ensemble</translation>
    </message>
    <message>
        <source>%1 +</source>
        <translation>%1 +</translation>
    </message>
    <message>
        <source>%1 −</source>
        <translation>%1 −</translation>
    </message>
    <message>
        <source>singular value %1</source>
        <translation>valeur singulière %1</translation>
    </message>
    <message>
        <source>There is no such direction.</source>
        <translation>Cette direction n’existe pas.</translation>
    </message>
    <message>
        <source>No model is open. Open one to see what the weights of its heads say.</source>
        <translation>Aucun modèle n’est ouvert. Ouvrez-en un pour voir ce que disent les poids de ses têtes.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>aucune</translation>
    </message>
    <message>
        <source>%1: OV eigenvalues %2, QK %3; effective rank %4 and %5.</source>
        <translation>%1&#xa0;: valeurs propres OV %2, QK %3&#xa0;; rang effectif %4 et %5.</translation>
    </message>
    <message>
        <source>Positions are rotary: QK is that of a query and a key at one position.</source>
        <translation>Les positions sont rotatives&#xa0;: QK est celui d’une requête et d’une clé à la même position.</translation>
    </message>
    <message>
        <source>%1 of random matrices: up to %2.</source>
        <translation>%1 de matrices aléatoires&#xa0;: jusqu’à %2.</translation>
    </message>
    <message>
        <source>&lt;b&gt;What the weights of heads say&lt;/b&gt;</source>
        <translation>&lt;b&gt;Ce que disent les poids des têtes&lt;/b&gt;</translation>
    </message>
    <message>
        <source>Of all pairs, by queries, keys and values, with projection kernels</source>
        <translation>De toutes les paires, par requêtes, clés et valeurs, avec les noyaux de projection</translation>
    </message>
    <message>
        <source>Computing: what each head reads of those before it.</source>
        <translation>Calcul en cours&#xa0;: ce que chaque tête lit de celles qui la précèdent.</translation>
    </message>
    <message>
        <source>Press Compute composition: how much of what a head writes later heads read, beside random matrices.</source>
        <translation>Appuyez sur Calculer la composition&#xa0;: la part de ce qu’une tête écrit que lisent les têtes suivantes, à côté de matrices aléatoires.</translation>
    </message>
    <message>
        <source>Weights of heads: %1</source>
        <translation>Poids des têtes&#xa0;: %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 de %2</translation>
    </message>
    <message>
        <source>Eigenvalues, %1</source>
        <translation>Valeurs propres, %1</translation>
    </message>
    <message>
        <source>Eigenvalues of %1 in the complex plane (Elhage et al. 2021). %2</source>
        <translation>Valeurs propres de %1 dans le plan complexe (Elhage et al. 2021). %2</translation>
    </message>
    <message>
        <source>Singular values of %1. %2</source>
        <translation>Valeurs singulières de %1. %2</translation>
    </message>
    <message>
        <source>%1 of all pairs of heads of %2, in the order of heads. %3</source>
        <translation>%1 de toutes les paires de têtes de %2, dans l’ordre des têtes. %3</translation>
    </message>
    <message>
        <source>Tokens of %1</source>
        <translation>Tokens de %1</translation>
    </message>
    <message>
        <source>What %1 writes for “%2”, and which keys it matches as a query. %3</source>
        <translation>Ce que %1 écrit pour «&#xa0;%2&#xa0;», et les clés qu’il cherche comme requête. %3</translation>
    </message>
    <message>
        <source>Singular direction %1 of %2</source>
        <translation>Direction singulière %1 de %2</translation>
    </message>
    <message>
        <source>Tokens at both ends of singular direction %1 of %2 of %3 (Millidge and Black 2022).</source>
        <translation>Tokens aux deux bouts de la direction singulière %1 de %2 de %3 (Millidge et Black 2022).</translation>
    </message>
</context>
<context>
    <name>headscope::WindowFiles</name>
    <message>
        <source>Headscope</source>
        <translation>Headscope</translation>
    </message>
    <message>
        <source>Open model folder</source>
        <translation>Ouvrir un dossier de modèle</translation>
    </message>
    <message>
        <source>Open another model</source>
        <translation>Ouvrir un autre modèle</translation>
    </message>
    <message>
        <source>Open study</source>
        <translation>Ouvrir une étude</translation>
    </message>
    <message>
        <source>Cannot open %1: there is no such file or folder.</source>
        <translation>Impossible d’ouvrir %1&#xa0;: ce fichier ou dossier n’existe pas.</translation>
    </message>
    <message>
        <source>Open another study</source>
        <translation>Ouvrir une autre étude</translation>
    </message>
    <message>
        <source>Open the demo</source>
        <translation>Ouvrir la démo</translation>
    </message>
    <message>
        <source>Nothing opened yet</source>
        <translation>Rien d’ouvert jusqu’ici</translation>
    </message>
    <message>
        <source>Save study</source>
        <translation>Enregistrer l’étude</translation>
    </message>
    <message>
        <source>Studies (*.headscope)</source>
        <translation>Études (*.headscope)</translation>
    </message>
    <message>
        <source>This view shows nothing to export yet.</source>
        <translation>Cette vue n’a encore rien à exporter.</translation>
    </message>
    <message>
        <source>Export every view into a folder</source>
        <translation>Exporter toutes les vues dans un dossier</translation>
    </message>
    <message numerus="yes">
        <source>Replace %n file(s) in this folder?</source>
        <translation>
            <numerusform>Remplacer %n fichier dans ce dossier&#xa0;?</numerusform>
            <numerusform>Remplacer %n fichiers dans ce dossier&#xa0;?</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, and others that an earlier export has left there.</source>
        <translation>%1, et d’autres qu’un export précédent y a laissés.</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Remplacer</translation>
    </message>
    <message>
        <source>Export into %1</source>
        <translation>Exporter dans %1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln files written to %1</source>
        <translation>
            <numerusform>%Ln fichier écrit dans %1</numerusform>
            <numerusform>%Ln fichiers écrits dans %1</numerusform>
        </translation>
    </message>
    <message>
        <source>-report</source>
        <translation>-rapport</translation>
    </message>
    <message>
        <source>Folder of the report</source>
        <translation>Dossier du rapport</translation>
    </message>
    <message>
        <source>%1 while &quot;%2&quot; is running?</source>
        <translation>%1 pendant que «&#xa0;%2&#xa0;» est en cours&#xa0;?</translation>
    </message>
    <message>
        <source>Continue, and lose the results that could not be saved?</source>
        <translation>Continuer, et perdre les résultats qui n’ont pas pu être conservés&#xa0;?</translation>
    </message>
    <message>
        <source>Lose them</source>
        <translation>Les perdre</translation>
    </message>
    <message>
        <source>Save study as…</source>
        <translation>Enregistrer l’étude sous…</translation>
    </message>
    <message>
        <source>Delete the autosaved studies?</source>
        <translation>Supprimer les études conservées&#xa0;?</translation>
    </message>
    <message>
        <source>Results that are saved nowhere else are lost.</source>
        <translation>Ce qui y a été calculé et n’est enregistré nulle part ailleurs sera perdu.</translation>
    </message>
    <message>
        <source>Delete them</source>
        <translation>Les supprimer</translation>
    </message>
    <message>
        <source>It has been running for %1 minutes and cannot be resumed: it would begin again. All finished results are kept, and so is the finished part of sweeps.</source>
        <translation>Le calcul dure depuis %1 minutes et ne peut pas reprendre où il en est&#xa0;: il recommencerait. Tous les résultats terminés sont conservés, ainsi que ce qui est fait des balayages.</translation>
    </message>
    <message>
        <source>Sweeps of this study were begun on a cluster.</source>
        <translation>Des balayages de cette étude ont été commencés sur un cluster.</translation>
    </message>
    <message>
        <source>Resume…</source>
        <translation>Reprendre…</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Écrit : %1</translation>
    </message>
    <message>
        <source>The report is written.</source>
        <translation>Le rapport est écrit.</translation>
    </message>
    <message>
        <source>Open report</source>
        <translation>Ouvrir le rapport</translation>
    </message>
    <message>
        <source>This view shows nothing to copy yet.</source>
        <translation>Cette vue ne montre encore rien à copier.</translation>
    </message>
    <message>
        <source>Copied as picture and table: %1</source>
        <translation>Copié comme image et tableau : %1</translation>
    </message>
    <message>
        <source>Studies, also packed ones (*.headscope *.zip);;All files (*)</source>
        <translation>Études, aussi empaquetées (*.headscope *.zip);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>New folder to unpack the study into</source>
        <translation>Nouveau dossier où dépaqueter l’étude</translation>
    </message>
    <message>
        <source>Connect to the machine that this study names?</source>
        <translation>Se connecter à la machine que nomme cette étude&#xa0;?</translation>
    </message>
    <message>
        <source>Machine: %1
Model folder there: %2

Its results can be read without it. Computing more runs headscope-cli there, over your own ssh.</source>
        <translation>Machine&#xa0;:&#xa0;%1
Dossier du modèle là-bas&#xa0;:&#xa0;%2

Ses résultats se lisent sans elle. Pour calculer davantage, headscope-cli y est lancé par votre propre ssh.</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Se connecter</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Pas maintenant</translation>
    </message>
</context>
<context>
    <name>headscope::WindowWords</name>
    <message>
        <source>switch off &quot;First line names the columns&quot;</source>
        <translation>désactiver «&#xa0;La première ligne nomme les colonnes&#xa0;»</translation>
    </message>
    <message>
        <source>switch on &quot;Quoted fields&quot;</source>
        <translation>activer «&#xa0;Champs entre guillemets&#xa0;»</translation>
    </message>
    <message>
        <source> (the column &quot;Label&quot;)</source>
        <translation> (la colonne «&#xa0;Étiquette&#xa0;»)</translation>
    </message>
    <message>
        <source>&quot;Labels mean&quot;</source>
        <translation>«&#xa0;Sens des étiquettes&#xa0;»</translation>
    </message>
    <message>
        <source>the column &quot;Text&quot;</source>
        <translation>la colonne «&#xa0;Texte&#xa0;»</translation>
    </message>
    <message>
        <source>the column &quot;Second text&quot;</source>
        <translation>la colonne «&#xa0;Second texte&#xa0;»</translation>
    </message>
    <message>
        <source>the column &quot;Label&quot;</source>
        <translation>la colonne «&#xa0;Étiquette&#xa0;»</translation>
    </message>
    <message>
        <source>&quot;First line names the columns&quot; switched off</source>
        <translation>«&#xa0;La première ligne nomme les colonnes&#xa0;» désactivé</translation>
    </message>
    <message>
        <source>&quot;Quoted fields&quot;</source>
        <translation>«&#xa0;Champs entre guillemets&#xa0;»</translation>
    </message>
</context>
<context>
    <name>headscope::Work</name>
    <message>
        <source>waiting</source>
        <translation>en attente</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>arrêt en cours</translation>
    </message>
    <message>
        <source>running</source>
        <translation>en cours</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>en pause</translation>
    </message>
    <message>
        <source>stopped at %1 of %2 examples</source>
        <translation>arrêté à %1 exemples sur %2</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>arrêté</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>échec</translation>
    </message>
    <message>
        <source>outdated</source>
        <translation>périmé</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>stopped at %1 of %2 examples, %3 left</source>
        <translation>arrêté à %1 exemples sur %2, encore %3</translation>
    </message>
    <message numerus="yes">
        <source>about %Ln seconds</source>
        <translation>
            <numerusform>environ %Ln seconde</numerusform>
            <numerusform>environ %Ln secondes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln minutes</source>
        <translation>
            <numerusform>environ %Ln minute</numerusform>
            <numerusform>environ %Ln minutes</numerusform>
        </translation>
    </message>
    <message>
        <source>about %1 hours</source>
        <translation>environ %1 heures</translation>
    </message>
</context>
<context>
    <name>headscope::WorkList</name>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Tidy kept work</source>
        <translation>Ranger les travaux conservés</translation>
    </message>
    <message>
        <source>discard %1</source>
        <translation>supprimer %1</translation>
    </message>
    <message>
        <source>Look for unfinished work, %1</source>
        <translation>Chercher le travail inachevé, %1</translation>
    </message>
    <message>
        <source>%1: first %2 examples</source>
        <translation>%1 : %2 premiers exemples</translation>
    </message>
</context>
<context>
    <name>headscope::WorkTimes</name>
    <message>
        <source>All %1 examples: %2</source>
        <translation>Les %1 exemples&#xa0;: %2</translation>
    </message>
    <message>
        <source>The first %1 examples: %2</source>
        <translation>Les %1 premiers exemples&#xa0;: %2</translation>
    </message>
    <message>
        <source>Importance, which is computed already</source>
        <translation>L’importance, déjà calculée</translation>
    </message>
    <message>
        <source>Everything with greedy outputs</source>
        <translation>Tout avec des sorties gloutonnes</translation>
    </message>
    <message>
        <source>Everything with the model&apos;s own beams again</source>
        <translation>Tout avec les faisceaux du modèle à nouveau</translation>
    </message>
    <message>
        <source>All examples: %1</source>
        <translation>Tous les exemples&#xa0;: %1</translation>
    </message>
    <message>
        <source>Only the order by importance: %1</source>
        <translation>Seulement l’ordre par importance&#xa0;: %1</translation>
    </message>
    <message>
        <source>Measure how long masks take, %1</source>
        <translation>Mesurer le temps que prennent les masques, %1</translation>
    </message>
</context>
</TS>
