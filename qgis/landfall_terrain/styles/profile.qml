<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22">
  <renderer-v2 type="categorizedSymbol" attr="coalesce(ground &gt; line, 0)">
    <categories>
      <category value="0" symbol="0" label="ground below the line" render="true"/>
      <category value="1" symbol="1" label="ground above the line" render="true"/>
    </categories>
    <symbols>
      <symbol name="0" type="marker" alpha="1">
        <layer class="SimpleMarker" enabled="1" pass="0">
          <Option type="Map">
            <Option name="name" value="circle" type="QString"/>
            <Option name="color" value="150,120,70,255" type="QString"/>
            <Option name="outline_color" value="40,40,40,255" type="QString"/>
            <Option name="outline_width" value="0.1" type="QString"/>
            <Option name="size" value="1.4" type="QString"/>
            <Option name="size_unit" value="MM" type="QString"/>
          </Option>
        </layer>
      </symbol>
      <symbol name="1" type="marker" alpha="1">
        <layer class="SimpleMarker" enabled="1" pass="0">
          <Option type="Map">
            <Option name="name" value="circle" type="QString"/>
            <Option name="color" value="200,0,0,255" type="QString"/>
            <Option name="outline_color" value="40,40,40,255" type="QString"/>
            <Option name="outline_width" value="0.1" type="QString"/>
            <Option name="size" value="1.8" type="QString"/>
            <Option name="size_unit" value="MM" type="QString"/>
          </Option>
        </layer>
      </symbol>
    </symbols>
  </renderer-v2>
  <layerGeometryType>0</layerGeometryType>
</qgis>
